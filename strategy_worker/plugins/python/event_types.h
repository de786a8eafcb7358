// Events, links and domains as Python sees them: views of the SDK's own objects, member by member.
#pragma once

#include <orbweaver/events.h>

#include "interpreter.h"

namespace orbweaver::python {

// Once, with Python held; throws PythonError.
void MakeEventTypes();

// An event while its handler runs. Views of it that Python keeps for longer raise ReferenceError.
class ShownEvent {
 public:
  explicit ShownEvent(sdk::Seeds* seeds);
  explicit ShownEvent(sdk::Links* links);
  explicit ShownEvent(sdk::Page* page);
  explicit ShownEvent(sdk::Failure* failure);
  explicit ShownEvent(sdk::Host* host);
  explicit ShownEvent(sdk::LinkFilter* filter);
  ~ShownEvent();
  ShownEvent(const ShownEvent&) = delete;
  ShownEvent& operator=(const ShownEvent&) = delete;

  PyObject* get() const { return object_.get(); }

 private:
  Owned object_;
};

}  // namespace orbweaver::python
