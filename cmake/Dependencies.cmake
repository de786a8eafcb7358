# Third-party code: Debian packages, and two source trees that `./run setup` fetches by pip (deploy/deps/).
# A target of a library is linked by the folders that ARCHITECTURE.md allows to include it, and by no other.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(absl CONFIG REQUIRED)
find_package(fmt CONFIG REQUIRED)
find_package(GTest CONFIG REQUIRED)
find_package(spdlog CONFIG REQUIRED)
find_package(yaml-cpp CONFIG REQUIRED)
find_package(CLI11 CONFIG REQUIRED)
find_package(prometheus-cpp CONFIG REQUIRED)
find_package(Protobuf REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(ZLIB REQUIRED)
find_package(RocksDB CONFIG REQUIRED)
find_package(Boost 1.81 REQUIRED)
pkg_check_modules(jemalloc REQUIRED IMPORTED_TARGET jemalloc)
pkg_check_modules(rdkafka REQUIRED IMPORTED_TARGET rdkafka)
pkg_check_modules(thrift REQUIRED IMPORTED_TARGET thrift)
pkg_check_modules(brotlidec REQUIRED IMPORTED_TARGET libbrotlidec)
pkg_check_modules(brotlienc REQUIRED IMPORTED_TARGET libbrotlienc)
pkg_check_modules(cares REQUIRED IMPORTED_TARGET libcares)
pkg_check_modules(isal REQUIRED IMPORTED_TARGET libisal)
pkg_check_modules(gumbo REQUIRED IMPORTED_TARGET gumbo)
pkg_check_modules(psl REQUIRED IMPORTED_TARGET libpsl)
pkg_check_modules(uchardet REQUIRED IMPORTED_TARGET uchardet)
pkg_check_modules(libzstd REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)

# Where `./run setup` put what does not come from Debian; the same default as in deploy/deps/cache.sh.
if(DEFINED ENV{ORBWEAVER_CACHE})
  set(cache_default $ENV{ORBWEAVER_CACHE})
elseif(DEFINED ENV{XDG_CACHE_HOME})
  set(cache_default $ENV{XDG_CACHE_HOME}/orbweaver)
else()
  set(cache_default $ENV{HOME}/.cache/orbweaver)
endif()
set(ORBWEAVER_CACHE_DIR ${cache_default} CACHE PATH "Folder with the fetched sources, jars and ccache")

# Ada, the WHATWG URL parser: one .cpp and one .h.
find_package(ada CONFIG QUIET)
if(NOT TARGET ada::ada)
  set(ada_dir ${ORBWEAVER_CACHE_DIR}/sources/ada_url-4.0.0/ada_url)
  if(NOT EXISTS ${ada_dir}/ada.cpp)
    message(FATAL_ERROR "Ada's sources are not in ${ada_dir}. Run `./run setup`, or install a package that provides ada::ada.")
  endif()
  add_library(ada STATIC ${ada_dir}/ada.cpp)
  target_include_directories(ada SYSTEM PUBLIC ${ada_dir})
  target_compile_options(ada PRIVATE -w)
  add_library(ada::ada ALIAS ada)
endif()

# Lexbor: of its C sources the HTML tokenizer and the charsets of the Encoding Standard, with what these two need.
pkg_check_modules(lexbor QUIET IMPORTED_TARGET lexbor)
if(TARGET PkgConfig::lexbor)
  add_library(lexbor::lexbor ALIAS PkgConfig::lexbor)
else()
  set(lexbor_dir ${ORBWEAVER_CACHE_DIR}/sources/selectolax-1.0.2/lexbor/source)
  if(NOT EXISTS ${lexbor_dir}/lexbor/html/tokenizer.c)
    message(FATAL_ERROR "Lexbor's sources are not in ${lexbor_dir}. Run `./run setup`, or install a package that provides lexbor.pc.")
  endif()
  file(GLOB lexbor_sources
    ${lexbor_dir}/lexbor/core/*.c
    ${lexbor_dir}/lexbor/dom/*.c
    ${lexbor_dir}/lexbor/dom/interfaces/*.c
    ${lexbor_dir}/lexbor/encoding/*.c
    ${lexbor_dir}/lexbor/html/token*.c
    ${lexbor_dir}/lexbor/html/tokenizer/*.c
    ${lexbor_dir}/lexbor/ns/*.c
    ${lexbor_dir}/lexbor/tag/*.c
    ${lexbor_dir}/lexbor/ports/posix/lexbor/core/memory.c)
  add_library(lexbor STATIC ${lexbor_sources})
  target_include_directories(lexbor SYSTEM PUBLIC ${lexbor_dir})
  target_compile_definitions(lexbor PUBLIC LEXBOR_STATIC)
  target_compile_options(lexbor PRIVATE -w ${ORBWEAVER_LTO_COMPILE})
  target_link_libraries(lexbor PUBLIC m)
  add_library(lexbor::lexbor ALIAS lexbor)
endif()
