#include "link_sequence.h"

#include <array>

namespace orbweaver::python {
namespace {

// Two links take turns: the one that a loop has left is free when the next but one is wanted.
struct IteratorObject {
  PyObject ob_base;
  EventObject* of;
  size_t next;
  std::array<PartObject*, 2> links;
};

// Of a LinkEvent's links and of a LinkFilter's.
template <typename Event>
PyTypeObject* link_type = nullptr;
template <typename Event>
PyTypeObject* iterator_type = nullptr;

template <typename Event>
Py_ssize_t Size(PyObject* self) {
  Event* const event = As<Event>(self);
  return event == nullptr ? -1 : static_cast<Py_ssize_t>(event->size());
}

template <typename Event>
PyObject* Item(PyObject* self, Py_ssize_t i) {
  Event* const event = As<Event>(self);
  if (event == nullptr) return nullptr;
  if (i < 0 || static_cast<size_t>(i) >= event->size()) {
    PyErr_SetString(PyExc_IndexError, "no such link");
    return nullptr;
  }
  return NewPart(link_type<Event>, reinterpret_cast<EventObject*>(self), static_cast<size_t>(i));
}

template <typename Event>
PyObject* Iterate(PyObject* self) {
  if (Alive(reinterpret_cast<EventObject*>(self)) == nullptr) return nullptr;
  auto* const iterator = PyObject_New(IteratorObject, iterator_type<Event>);
  if (iterator == nullptr) return nullptr;
  iterator->of = reinterpret_cast<EventObject*>(Py_NewRef(self));
  iterator->next = 0;
  iterator->links = {};
  return reinterpret_cast<PyObject*>(iterator);
}

template <typename Event>
PyObject* Next(PyObject* self) {
  auto* const iterator = reinterpret_cast<IteratorObject*>(self);
  const Event* const event = As<Event>(reinterpret_cast<PyObject*>(iterator->of));
  if (event == nullptr || iterator->next >= event->size()) return nullptr;
  PartObject*& link = iterator->links[iterator->next % 2];
  if (link == nullptr || Py_REFCNT(link) > 1) {
    PyObject* const made = NewPart(link_type<Event>, iterator->of, iterator->next);
    if (made == nullptr) return nullptr;
    Py_XDECREF(link);
    link = reinterpret_cast<PartObject*>(made);
  }
  link->index = iterator->next++;
  return Py_NewRef(link);
}

void DropIterator(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  auto* const iterator = reinterpret_cast<IteratorObject*>(self);
  for (PartObject* const link : iterator->links) Py_XDECREF(link);
  Py_DECREF(iterator->of);
  PyObject_Free(self);
  Py_DECREF(type);
}

template <typename Event>
std::vector<PyType_Slot> Sequence() {
  return {{Py_sq_length, reinterpret_cast<void*>(Size<Event>)},
          {Py_sq_item, reinterpret_cast<void*>(Item<Event>)},
          {Py_tp_iter, reinterpret_cast<void*>(Iterate<Event>)}};
}

template <typename Event>
void Make(PyTypeObject* link) {
  link_type<Event> = link;
  iterator_type<Event> = NewType("orbweaver.LinkIterator", sizeof(IteratorObject), DropIterator,
                                 {{Py_tp_iter, reinterpret_cast<void*>(PyObject_SelfIter)},
                                  {Py_tp_iternext, reinterpret_cast<void*>(Next<Event>)}});
}

}  // namespace

void MakeSequences(PyTypeObject* link, PyTypeObject* link_view) {
  Make<sdk::LinkEvent>(link);
  Make<sdk::LinkFilter>(link_view);
}

std::vector<PyType_Slot> LinkSequence() { return Sequence<sdk::LinkEvent>(); }
std::vector<PyType_Slot> FilterSequence() { return Sequence<sdk::LinkFilter>(); }

}  // namespace orbweaver::python
