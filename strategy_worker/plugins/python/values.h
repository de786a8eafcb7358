// Values on their way between Python and C++. Functions that return an object or a bool leave an
// exception set when they return null or false.
#pragma once

#include <cstdint>
#include <optional>
#include <orbweaver/values.h>
#include <string_view>

#include "interpreter.h"

namespace orbweaver::python {

// The enums of orbweaver.strategy, once; throws.
void LoadEnums();

PyObject* ToPython(bool value);
PyObject* ToPython(uint32_t value);
PyObject* ToPython(uint64_t value);
PyObject* ToPython(int64_t value);
PyObject* ToPython(float value);
PyObject* ToPython(std::string_view value);
PyObject* ToPython(sdk::Status value);
PyObject* ToPython(sdk::LinkKind value);
PyObject* ToPython(sdk::Cause value);
PyObject* ToPython(sdk::Robots value);
PyObject* ToPython(sdk::Dns value);
template <typename T>
PyObject* ToPython(const std::optional<T>& value) {
  return value.has_value() ? ToPython(*value) : Py_NewRef(Py_None);
}
PyObject* Bytes(std::string_view value);

bool ReadFloat(PyObject* value, float* number);
// Views live as long as `value`.
bool ReadBytes(PyObject* value, std::string_view* bytes);
bool ReadText(PyObject* value, std::string_view* text);

}  // namespace orbweaver::python
