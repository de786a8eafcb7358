#include "view.h"

namespace orbweaver::python {

sdk::EventView* Alive(EventObject* object) {
  if (object->event == nullptr) {
    PyErr_SetString(PyExc_ReferenceError,
                    "the event is over: keep values of it, not the event or its parts");
  }
  return object->event;
}

PyObject* NewPart(PyTypeObject* type, EventObject* of, size_t index) {
  auto* const part = PyObject_New(PartObject, type);
  if (part == nullptr) return nullptr;
  part->of = of;
  Py_INCREF(of);
  part->index = index;
  return reinterpret_cast<PyObject*>(part);
}

void DropPart(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  Py_DECREF(reinterpret_cast<PartObject*>(self)->of);
  PyObject_Free(self);
  Py_DECREF(type);
}

PyTypeObject* NewType(const char* name, size_t size, destructor drop,
                      std::vector<PyType_Slot> slots) {
  slots.push_back({Py_tp_dealloc, reinterpret_cast<void*>(drop)});
  slots.push_back({0, nullptr});
  PyType_Spec spec{.name = name,
                   .basicsize = static_cast<int>(size),
                   .itemsize = 0,
                   .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                   .slots = slots.data()};
  return reinterpret_cast<PyTypeObject*>(Checked(PyType_FromSpec(&spec)).release());
}

}  // namespace orbweaver::python
