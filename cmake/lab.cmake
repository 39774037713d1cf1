# The module helper: one call makes a library, its tests and its fuzz targets.
#
#   lab_module(NAME SOURCES a.c b.c [TESTS a_test ...] [LINK target ...] [LABEL unit|sim|e2e|interop])
#       library lab_NAME; headers are found from the tree's root (LAB_ROOT of the directory: labd/, fixtures/virtual/, firmware/).
#       Each test is <name>.c beside the sources, linked with the harness; it runs in the source folder under CTest.
#   lab_test(NAME [SOURCES ...] [LINK ...] [LABEL ...])   one more test program of its own sources
#   lab_fuzz(NAME LINK target ...)      <name>.c holds LLVMFuzzerTestOneInput; corpus in fuzz/<name>/ beside it. With clang it is a libFuzzer
#       binary, otherwise a driver replays the corpus; CTest runs it for LAB_FUZZ_SECONDS (label fuzz).

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(LAB_SANITIZE "" CACHE STRING "address,undefined or thread; empty for none")
set(LAB_FUZZ_SECONDS 10 CACHE STRING "How long each fuzz target runs under CTest")

add_library(lab_flags INTERFACE)
target_compile_definitions(lab_flags INTERFACE _GNU_SOURCE)
target_compile_options(lab_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes
	-Wvla -Wformat=2 -Werror -fno-common -ffile-prefix-map=${CMAKE_SOURCE_DIR}=.)
# Trees that have one thread only say so with this directory property: ThreadSanitizer has nothing to find in them and would make the emulated chips crawl.
define_property(TARGET PROPERTY LAB_ONE_THREAD INHERITED)
if(LAB_SANITIZE)
	set(instrument 1)
	if(LAB_SANITIZE STREQUAL thread)
		set(instrument $<NOT:$<BOOL:$<TARGET_PROPERTY:LAB_ONE_THREAD>>>)
	endif()
	target_compile_options(lab_flags INTERFACE $<${instrument}:-fsanitize=${LAB_SANITIZE}> -fno-omit-frame-pointer -fno-sanitize-recover=all)
	target_link_options(lab_flags INTERFACE -fsanitize=${LAB_SANITIZE})
	if(CMAKE_C_COMPILER_ID STREQUAL Clang AND LAB_SANITIZE MATCHES address)
		target_compile_options(lab_flags INTERFACE -fsanitize=fuzzer-no-link)    # the fuzzers see into the modules they call
	endif()
endif()

function(lab_module name)
	cmake_parse_arguments(M "" "LABEL" "SOURCES;TESTS;LINK" ${ARGN})
	add_library(lab_${name} STATIC ${M_SOURCES})
	target_include_directories(lab_${name} PUBLIC ${LAB_ROOT})
	target_link_libraries(lab_${name} PUBLIC lab_flags ${M_LINK})
	foreach(test ${M_TESTS})
		lab_test(${test} LINK lab_${name} LABEL ${M_LABEL})
	endforeach()
endfunction()

function(lab_test name)
	cmake_parse_arguments(T "" "LABEL" "SOURCES;LINK" ${ARGN})
	if(NOT T_SOURCES)
		set(T_SOURCES ${name}.c)
	endif()
	if(NOT T_LABEL)
		set(T_LABEL unit)
	endif()
	if(NOT BUILD_TESTING)
		return()
	endif()
	add_executable(${name} ${T_SOURCES})
	target_link_libraries(${name} PRIVATE lab_harness ${T_LINK})
	add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
	cmake_path(GET LAB_ROOT FILENAME tree)                                  # labd, virtual or firmware
	set_tests_properties(${name} PROPERTIES LABELS "${T_LABEL};${tree}" TIMEOUT 300 SKIP_RETURN_CODE 77
		ENVIRONMENT "LAB_BUILD=${CMAKE_BINARY_DIR};LAB_SOURCE=${CMAKE_SOURCE_DIR}")
endfunction()

function(lab_fuzz name)
	cmake_parse_arguments(F "" "" "SOURCES;LINK" ${ARGN})
	if(NOT BUILD_TESTING)
		return()
	endif()
	add_executable(${name} ${name}.c ${F_SOURCES})
	target_link_libraries(${name} PRIVATE ${F_LINK} lab_flags)
	set(corpus ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/${name})
	if(CMAKE_C_COMPILER_ID STREQUAL Clang AND LAB_SANITIZE MATCHES address)
		target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
		target_link_options(${name} PRIVATE -fsanitize=fuzzer)
		set(work ${CMAKE_CURRENT_BINARY_DIR}/corpus_${name})
		file(MAKE_DIRECTORY ${work})
		add_test(NAME ${name} COMMAND ${name} -max_total_time=${LAB_FUZZ_SECONDS} -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 ${work} ${corpus})
	else()
		target_sources(${name} PRIVATE ${CMAKE_SOURCE_DIR}/labd/test/replay.c)
		add_test(NAME ${name} COMMAND ${name} ${corpus})
	endif()
	set_tests_properties(${name} PROPERTIES LABELS fuzz TIMEOUT 600)
endfunction()
