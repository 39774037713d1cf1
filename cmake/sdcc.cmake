# Firmware for the 8051, built with SDCC inside the same build.
#
#   lab_sdcc_image(NAME BOARD type FOLDER dir IDENTITY_AT a BUILD_AT b VARIANT json SOURCES a.c ... [FLAGS ...] [MODEL small] [FOR_TESTS])
#       NAME.ihx in build/<preset>/firmware/, stamped with its build id, NAME.symbols.json, and a row for images.json. The first source holds main().
#       FOR_TESTS: the row goes to test-images.json instead, which only tests read.
#
# SDCC is run by plain custom commands: it has one object format, no dependency files worth using, and needs its own linker's options; every
# object depends on every header, which costs seconds. Sources are named relative to firmware/, so that no path of this machine is in the image.

find_program(SDCC sdcc)
if(NOT SDCC)
	message(FATAL_ERROR "sdcc is not installed: the firmware of the 8051 boards cannot be built. Install the Debian package sdcc (4.2.0), or run ./lab build.")
endif()
execute_process(COMMAND ${SDCC} --version OUTPUT_VARIABLE sdcc_version ERROR_QUIET)
string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+ #[0-9]+" LAB_SDCC_VERSION "${sdcc_version}")
if(NOT LAB_SDCC_VERSION)
	message(FATAL_ERROR "${SDCC} --version gives no version: ${sdcc_version}")
endif()

function(lab_sdcc_image name)
	cmake_parse_arguments(I "FOR_TESTS" "BOARD;FOLDER;IDENTITY_AT;BUILD_AT;VARIANT;MODEL" "SOURCES;FLAGS" ${ARGN})
	set(root ${CMAKE_SOURCE_DIR}/firmware)
	set(out ${CMAKE_BINARY_DIR}/firmware)
	set(work ${out}/${name}.dir)
	file(MAKE_DIRECTORY ${work})
	file(GLOB headers CONFIGURE_DEPENDS ${root}/net/*.h ${root}/drivers/*.h ${root}/common/*.h ${root}/${I_FOLDER}/*.h)
	set(flags -mmcs51 --model-${I_MODEL} --std-c11 ${I_FLAGS})
	set(objects)
	set(listings)
	foreach(source ${I_SOURCES})
		string(REPLACE "/" "_" object ${source})
		string(REGEX REPLACE "\\.c$" ".rel" object ${object})
		add_custom_command(OUTPUT ${work}/${object}
			COMMAND ${SDCC} ${flags} --Werror -I. -I${I_FOLDER} -c ${source} -o ${work}/${object}
			WORKING_DIRECTORY ${root}
			DEPENDS ${root}/${source} ${headers}
			COMMENT "SDCC ${name}: ${source}" VERBATIM)
		list(APPEND objects ${work}/${object})
		string(REGEX REPLACE "rel$" "rst" listing ${work}/${object})
		list(APPEND listings ${listing})
	endforeach()
	# Code ends below the page of the identity: the linker does not see that they would overlap.
	add_custom_command(OUTPUT ${work}/linked.ihx BYPRODUCTS ${work}/linked.mem ${work}/linked.map
		COMMAND ${SDCC} -mmcs51 --model-${I_MODEL} --code-size ${I_IDENTITY_AT} --iram-size 256 --xram-size 0x700 -o ${work}/linked.ihx ${objects}
		DEPENDS ${objects}
		COMMENT "SDCC ${name}: link" VERBATIM)
	add_custom_command(OUTPUT ${out}/${name}.symbols.json
		COMMAND lab-stamp symbols --map ${work}/linked.map --out ${out}/${name}.symbols.json ${listings}
		DEPENDS ${work}/linked.ihx lab-stamp
		COMMENT "Listing the functions of ${name}" VERBATIM)
	list(JOIN flags " " flag_text)
	add_custom_command(OUTPUT ${out}/${name}.ihx ${work}/row.json
		COMMAND lab-stamp image --in ${work}/linked.ihx --mem ${work}/linked.mem --out ${out}/${name}.ihx --row ${work}/row.json
			--board-type ${I_BOARD} --variant ${I_VARIANT} --toolchain "sdcc ${LAB_SDCC_VERSION}" --flags "${flag_text}"
			--identity-at ${I_IDENTITY_AT} --build-at ${I_BUILD_AT} --symbols ${name}.symbols.json
		DEPENDS ${work}/linked.ihx lab-stamp
		COMMENT "Stamping ${name}.ihx" VERBATIM)
	add_custom_target(firmware_${name} DEPENDS ${out}/${name}.ihx ${out}/${name}.symbols.json ${work}/row.json)
	set(list FIRMWARE)
	if(I_FOR_TESTS)
		set(list TEST_FIRMWARE)
	endif()
	set_property(GLOBAL APPEND PROPERTY LAB_${list}_TARGETS firmware_${name})
	set_property(GLOBAL APPEND PROPERTY LAB_${list}_ROWS ${work}/row.json)
	set_property(GLOBAL APPEND PROPERTY LAB_${list}_FILES ${out}/${name}.ihx)
endfunction()
