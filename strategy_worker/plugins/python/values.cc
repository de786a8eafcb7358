#include "values.h"

#include <vector>

namespace orbweaver::python {
namespace {

// Members of the enums by their numbers.
struct Enums {
  std::vector<PyObject*> statuses, kinds, causes, robots, dns;
};
// Never destroyed: Python outlives static objects.
const Enums* enums = nullptr;

// Members are numbered from 0 on.
std::vector<PyObject*> MembersOf(const char* name) {
  std::vector<PyObject*> members;
  const Owned list = Checked(PySequence_List(FromSdk(name).get()));
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list.get()); ++i) {
    members.push_back(Py_NewRef(PyList_GET_ITEM(list.get(), i)));
  }
  return members;
}

PyObject* Member(const std::vector<PyObject*>& members, uint32_t number) {
  if (number >= members.size()) return PyLong_FromUnsignedLong(number);
  return Py_NewRef(members[number]);
}

}  // namespace

void LoadEnums() {
  enums = new Enums{.statuses = MembersOf("Status"),
                    .kinds = MembersOf("LinkKind"),
                    .causes = MembersOf("Cause"),
                    .robots = MembersOf("Robots"),
                    .dns = MembersOf("Dns")};
}

PyObject* ToPython(bool value) { return PyBool_FromLong(value ? 1 : 0); }
PyObject* ToPython(uint32_t value) { return PyLong_FromUnsignedLong(value); }
PyObject* ToPython(uint64_t value) { return PyLong_FromUnsignedLongLong(value); }
PyObject* ToPython(int64_t value) { return PyLong_FromLongLong(value); }
PyObject* ToPython(float value) { return PyFloat_FromDouble(value); }
PyObject* ToPython(std::string_view value) { return Text(value).release(); }
PyObject* ToPython(sdk::Status value) {
  return Member(enums->statuses, static_cast<uint32_t>(value));
}
PyObject* ToPython(sdk::LinkKind value) {
  return Member(enums->kinds, static_cast<uint32_t>(value));
}
PyObject* ToPython(sdk::Cause value) { return Member(enums->causes, static_cast<uint32_t>(value)); }
PyObject* ToPython(sdk::Robots value) {
  return Member(enums->robots, static_cast<uint32_t>(value));
}
PyObject* ToPython(sdk::Dns value) { return Member(enums->dns, static_cast<uint32_t>(value)); }
PyObject* Bytes(std::string_view value) {
  return PyBytes_FromStringAndSize(value.data(), static_cast<Py_ssize_t>(value.size()));
}

bool ReadFloat(PyObject* value, float* number) {
  const double wide = PyFloat_AsDouble(value);
  if (wide == -1.0 && PyErr_Occurred() != nullptr) return false;
  *number = static_cast<float>(wide);
  return true;
}

bool ReadBytes(PyObject* value, std::string_view* bytes) {
  char* data = nullptr;
  Py_ssize_t size = 0;
  if (PyBytes_AsStringAndSize(value, &data, &size) != 0) return false;
  *bytes = {data, static_cast<size_t>(size)};
  return true;
}

bool ReadText(PyObject* value, std::string_view* text) {
  Py_ssize_t size = 0;
  const char* const data = PyUnicode_AsUTF8AndSize(value, &size);
  if (data == nullptr) return false;
  *text = {data, static_cast<size_t>(size)};
  return true;
}

}  // namespace orbweaver::python
