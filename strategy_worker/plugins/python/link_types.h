// A link, a link as a filter sees it, and a domain, as Python sees them.
#pragma once

#include "view.h"

namespace orbweaver::python {

// Throw. Objects are parts of a LinkEvent, of a LinkFilter, and of any event.
PyTypeObject* MakeLinkType();
PyTypeObject* MakeLinkViewType();
PyTypeObject* MakeDomainType();

}  // namespace orbweaver::python
