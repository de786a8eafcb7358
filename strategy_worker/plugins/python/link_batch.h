// All links of an event at once, for Python.
#pragma once

#include "view.h"

namespace orbweaver::python {

// Of a LinkEvent: column, urls, anchors, schedule_new.
TablePart<PyMethodDef> LinkBatchMethods();

}  // namespace orbweaver::python
