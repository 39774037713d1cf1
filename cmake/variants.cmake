# firmware/variants.json: the images to build. A row has image (the file's name), board (folder below firmware/boards), board_type, variant
# (an object of texts, as cells of a matrix choose by) and flags (for the compiler).
#
#   lab_variants(BOARD out)         the numbers of the rows of that board
#   lab_variant(NUMBER KEY out)     a field of a row; flags come as a list

set(lab_variants_file ${CMAKE_SOURCE_DIR}/firmware/variants.json)
set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${lab_variants_file})
file(READ ${lab_variants_file} LAB_VARIANTS)

function(lab_variants board out)
	string(JSON count LENGTH "${LAB_VARIANTS}")
	math(EXPR last "${count} - 1")
	set(found)
	foreach(i RANGE ${last})
		string(JSON of GET "${LAB_VARIANTS}" ${i} board)
		if(of STREQUAL board)
			list(APPEND found ${i})
		endif()
	endforeach()
	set(${out} ${found} PARENT_SCOPE)
endfunction()

function(lab_variant i key out)
	string(JSON value GET "${LAB_VARIANTS}" ${i} ${key})
	if(key STREQUAL "flags")
		set(all)
		string(JSON count LENGTH "${value}")
		set(k 0)
		while(k LESS count)
			string(JSON flag GET "${value}" ${k})
			list(APPEND all ${flag})
			math(EXPR k "${k} + 1")
		endwhile()
		set(value ${all})
	elseif(key STREQUAL "variant")
		string(REGEX REPLACE "[ \t\n]+" "" value "${value}")
	endif()
	set(${out} "${value}" PARENT_SCOPE)
endfunction()
