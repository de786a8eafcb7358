// Python objects that view an event of the SDK and its parts, and types of them made from tables.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <initializer_list>
#include <orbweaver/events.h>
#include <utility>
#include <vector>

#include "interpreter.h"
#include "values.h"

namespace orbweaver::python {

struct EventObject {
  PyObject ob_base;
  sdk::EventView* event;  // null when its handler has returned
};

// One of an event's links, or the event's domain.
struct PartObject {
  PyObject ob_base;
  EventObject* of;
  size_t index;
};

// Null with an exception set when its handler has returned.
sdk::EventView* Alive(EventObject* object);

template <typename Event>
Event* As(PyObject* self) {
  return static_cast<Event*>(Alive(reinterpret_cast<EventObject*>(self)));
}

template <typename Event, auto Member>
PyObject* Get(PyObject* self, void*) {
  Event* const event = As<Event>(self);
  return event == nullptr ? nullptr : ToPython((event->*Member)());
}

// `Of` gives the part that an object views, or nothing with an exception set.
template <auto Of, auto Member>
PyObject* GetPart(PyObject* self, void*) {
  const auto part = Of(self);
  return part.has_value() ? ToPython(((*part).*Member)()) : nullptr;
}

PyObject* NewPart(PyTypeObject* type, EventObject* of, size_t index);
void DropPart(PyObject* self);

// ---- types ----

// A table without an end of its own.
template <typename T>
using TablePart = std::pair<const T*, size_t>;
template <typename T>
using Parts = std::initializer_list<TablePart<T>>;
template <typename T, size_t n>
TablePart<T> Part(const T (&table)[n]) {
  return {table, n};
}
template <typename T, size_t n>
TablePart<T> Part(const std::array<T, n>& table) {
  return {table.data(), n};
}

// Tables together, with the empty one at their end; for ever, as Python wants it.
template <typename T>
T* Join(Parts<T> parts) {
  static auto* const kept = new std::deque<std::vector<T>>;
  std::vector<T>& all = kept->emplace_back();
  for (const auto& [table, size] : parts) all.insert(all.end(), table, table + size);
  all.push_back(T{});
  return all.data();
}

// Objects of it are made here only. Throws.
PyTypeObject* NewType(const char* name, size_t size, destructor drop,
                      std::vector<PyType_Slot> slots);

}  // namespace orbweaver::python
