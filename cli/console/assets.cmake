# Writes OUT, a C++ file with the contents of FILES (a list, separated by commas): cmake -DOUT=… -DFILES=… -P assets.cmake
#
# The page asks for its files in a folder that is named after their hash (/HASH/console.js), so that a browser may keep them for ever. In
# index.html @HASH@ stands for it, and @MODULES@ for a link to each module, so that the browser asks for all of them at once.
string(REPLACE "," ";" FILES "${FILES}")

set(hashes "")
foreach(file IN LISTS FILES)
  file(SHA256 "${file}" hash)
  string(APPEND hashes "${hash}\n")
endforeach()
string(SHA256 all "${hashes}")
string(SUBSTRING "${all}" 0 16 HASH)
set(modules ${FILES})
list(FILTER modules INCLUDE REGEX "\\.js$")
list(TRANSFORM modules REPLACE ".*/(.*)" "<link rel=\"modulepreload\" href=\"/${HASH}/\\1\">")
list(JOIN modules "\n" MODULES)

function(bytes_of file out)
  file(READ "${file}" hex HEX)
  # The second in which a gzip file was made: without it, a build makes the same program at any time.
  string(REGEX REPLACE "^(1f8b08..)........" "\\100000000" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  set(${out} "${bytes}" PARENT_SCOPE)
endfunction()

set(types_html "text/html; charset=utf-8")
set(types_js "text/javascript; charset=utf-8")
set(types_css "text/css; charset=utf-8")
set(types_svg "image/svg+xml")
set(types_json "application/json")

set(arrays "")
set(entries "")
set(index 0)
set(work "${OUT}.work")
foreach(file IN LISTS FILES)
  get_filename_component(name "${file}" NAME)
  string(REGEX REPLACE ".*\\." "" extension "${name}")
  if(NOT DEFINED types_${extension})
    message(FATAL_ERROR "${file}: no content type is known for it")
  endif()
  configure_file("${file}" "${work}" @ONLY)
  file(ARCHIVE_CREATE OUTPUT "${work}.gz" PATHS "${work}" FORMAT raw COMPRESSION GZip COMPRESSION_LEVEL 9)
  bytes_of("${work}" plain)
  bytes_of("${work}.gz" gzipped)
  string(APPEND arrays "constexpr unsigned char kPlain${index}[] = {${plain}};\nconstexpr unsigned char kGzipped${index}[] = {${gzipped}};\n")
  string(APPEND entries "    {\"${name}\", \"${types_${extension}}\", Text(kPlain${index}), Text(kGzipped${index})},\n")
  math(EXPR index "${index} + 1")
endforeach()
file(REMOVE "${work}" "${work}.gz")
file(WRITE "${OUT}" "#include \"cli/console/assets.h\"

namespace orbweaver {
namespace {

template <size_t kSize>
std::string_view Text(const unsigned char (&bytes)[kSize]) {
  return {reinterpret_cast<const char*>(bytes), kSize};
}

${arrays}
const Asset kAssets[] = {
${entries}};

}  // namespace

std::span<const Asset> Assets() { return kAssets; }

const Asset* FindAsset(std::string_view name) {
  for (const Asset& asset : kAssets) {
    if (asset.name == name) return &asset;
  }
  return nullptr;
}

std::string_view AssetsHash() { return \"${HASH}\"; }

}  // namespace orbweaver
")
