#include "link_batch.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace orbweaver::python {
namespace {

template <typename T, typename Value>
Owned Column(const char* format, sdk::LinkEvent& event, Value value) {
  Owned bytes(
      PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(event.size() * sizeof(T))));
  if (bytes == nullptr) return nullptr;
  char* out = PyBytes_AS_STRING(bytes.get());
  for (size_t i = 0; i < event.size(); ++i, out += sizeof(T)) {
    const T element = static_cast<T>(value(event[i]));
    std::memcpy(out, &element, sizeof(T));
  }
  const Owned plain(PyMemoryView_FromObject(bytes.get()));
  if (plain == nullptr) return nullptr;
  return Owned(PyObject_CallMethod(plain.get(), "cast", "s", format));
}

// column(name): a memoryview with an element of each link, which numpy.asarray takes as it is.
PyObject* GetColumn(PyObject* self, PyObject* name) {
  auto* const event = As<sdk::LinkEvent>(self);
  std::string_view text;
  if (event == nullptr || !ReadText(name, &text)) return nullptr;
  const auto is = [text](std::string_view column) { return text == column; };
  using sdk::Link;
  if (is("is_new")) {
    return Column<bool>("?", *event, [](Link link) { return link.IsNew(); }).release();
  }
  if (is("status")) {
    return Column<uint8_t>("B", *event, [](Link link) { return link.status(); }).release();
  }
  if (is("kind")) {
    return Column<uint8_t>("B", *event, [](Link link) { return link.kind(); }).release();
  }
  if (is("fetches")) {
    return Column<uint32_t>("I", *event, [](Link link) { return link.fetches(); }).release();
  }
  if (is("errors")) {
    return Column<uint32_t>("I", *event, [](Link link) { return link.errors(); }).release();
  }
  if (is("fetched_at_ms")) {
    return Column<int64_t>("q", *event, [](Link link) { return link.fetched_at_ms(); }).release();
  }
  if (is("fingerprint_low")) {
    return Column<uint64_t>("Q", *event, [](Link link) { return link.fingerprint().low; })
        .release();
  }
  if (is("data")) {
    return Column<uint64_t>("Q", *event, [](Link link) { return link.DataAs<uint64_t>(); })
        .release();
  }
  PyErr_SetString(PyExc_ValueError,
                  "columns are is_new, status, kind, fetches, errors, fetched_at_ms, "
                  "fingerprint_low and data");
  return nullptr;
}

template <auto Member>
PyObject* Texts(PyObject* self, PyObject*) {
  auto* const event = As<sdk::LinkEvent>(self);
  if (event == nullptr) return nullptr;
  Owned list(PyList_New(static_cast<Py_ssize_t>(event->size())));
  for (size_t i = 0; list != nullptr && i < event->size(); ++i) {
    PyObject* const text = ToPython(((*event)[i].*Member)());
    if (text == nullptr) return nullptr;
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), text);
  }
  return list.release();
}

// One score for all links, or a buffer with one of each.
class Scores {
 public:
  Scores() = default;
  ~Scores() {
    if (buffer_.obj != nullptr) PyBuffer_Release(&buffer_);
  }
  Scores(const Scores&) = delete;
  Scores& operator=(const Scores&) = delete;

  // False with an exception set.
  bool Read(PyObject* value, size_t links) {
    if (PyObject_CheckBuffer(value) == 0) return ReadFloat(value, &one_);
    if (PyObject_GetBuffer(value, &buffer_, PyBUF_FORMAT | PyBUF_ND) != 0) return false;
    const std::string_view format = buffer_.format == nullptr ? "B" : buffer_.format;
    const bool is_right = buffer_.ndim == 1 && (format == "f" || format == "d");
    if (!is_right || static_cast<size_t>(buffer_.shape[0]) != links) {
      PyErr_Format(PyExc_ValueError, "expected one score, or %zu as floats (f or d)", links);
      return false;
    }
    is_double_ = format == "d";
    return true;
  }

  float operator[](size_t i) const {
    if (buffer_.obj == nullptr) return one_;
    return is_double_ ? static_cast<float>(At<double>(i)) : At<float>(i);
  }

 private:
  // Nothing says that the buffer is aligned.
  template <typename T>
  T At(size_t i) const {
    T value;
    std::memcpy(&value, static_cast<const char*>(buffer_.buf) + i * sizeof(T), sizeof(T));
    return value;
  }

  float one_ = 0;
  Py_buffer buffer_{};
  bool is_double_ = false;
};

// schedule_new(scores, most): whatever was never scheduled, in order; NaN leaves a link alone.
PyObject* ScheduleNew(PyObject* self, PyObject* args) {
  auto* const event = As<sdk::LinkEvent>(self);
  PyObject* value = nullptr;
  Py_ssize_t most = PY_SSIZE_T_MAX;
  if (event == nullptr || PyArg_ParseTuple(args, "O|n:schedule_new", &value, &most) == 0) {
    return nullptr;
  }
  Scores scores;
  if (!scores.Read(value, event->size())) return nullptr;
  Py_ssize_t scheduled = 0;
  for (size_t i = 0; i < event->size() && scheduled < most; ++i) {
    sdk::Link link = (*event)[i];
    if (!link.IsNew() || std::isnan(scores[i])) continue;
    link.Schedule(scores[i]);
    ++scheduled;
  }
  return PyLong_FromSsize_t(scheduled);
}

const PyMethodDef kLinksMethods[] = {
    {"column", GetColumn, METH_O,
     "column(name): a memoryview with an element of each link, for numpy.asarray"},
    {"urls", Texts<&sdk::Link::url>, METH_NOARGS, "of all links"},
    {"anchors", Texts<&sdk::Link::anchor>, METH_NOARGS, "of all links"},
    {"schedule_new", ScheduleNew, METH_VARARGS,
     "schedule_new(scores, most=all): schedules what never was, in order, at one score or at an "
     "array's; NaN leaves a link alone. How many it did"},
};

}  // namespace

TablePart<PyMethodDef> LinkBatchMethods() { return Part(kLinksMethods); }

}  // namespace orbweaver::python
