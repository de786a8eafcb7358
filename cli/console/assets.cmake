# Writes OUT, a C++ file with the contents of FILES (a list, separated by commas): cmake -DOUT=… -DFILES=… -P assets.cmake
string(REPLACE "," ";" FILES "${FILES}")
set(arrays "")
set(entries "")
set(index 0)
foreach(file IN LISTS FILES)
  get_filename_component(name "${file}" NAME)
  get_filename_component(extension "${file}" LAST_EXT)
  if(extension STREQUAL ".html")
    set(type "text/html; charset=utf-8")
  elseif(extension STREQUAL ".js")
    set(type "text/javascript; charset=utf-8")
  elseif(extension STREQUAL ".css")
    set(type "text/css; charset=utf-8")
  elseif(extension STREQUAL ".svg")
    set(type "image/svg+xml")
  elseif(extension STREQUAL ".json")
    set(type "application/json")
  else()
    message(FATAL_ERROR "${file}: no content type is known for it")
  endif()
  file(READ "${file}" hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND arrays "constexpr unsigned char kBytes${index}[] = {${bytes}};\n")
  string(APPEND entries "    {\"/${name}\", \"${type}\", {reinterpret_cast<const char*>(kBytes${index}), sizeof kBytes${index}}},\n")
  math(EXPR index "${index} + 1")
endforeach()
file(WRITE "${OUT}" "#include \"cli/console/assets.h\"

namespace orbweaver {
namespace {

${arrays}
const Asset kAssets[] = {
${entries}};

}  // namespace

std::span<const Asset> Assets() { return kAssets; }

const Asset* FindAsset(std::string_view path) {
  for (const Asset& asset : kAssets) {
    if (asset.path == path) return &asset;
  }
  return nullptr;
}

}  // namespace orbweaver
")
