// Events as sequences of their links.
#pragma once

#include <vector>

#include "view.h"

namespace orbweaver::python {

// Once, before the types of events. Throws.
void MakeSequences(PyTypeObject* link, PyTypeObject* link_view);

// For the type of a LinkEvent, and of a LinkFilter.
std::vector<PyType_Slot> LinkSequence();
std::vector<PyType_Slot> FilterSequence();

}  // namespace orbweaver::python
