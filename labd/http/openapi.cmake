# SPDX-License-Identifier: GPL-2.0-or-later
# Turns a file into a C array: cmake -DFROM=docs/openapi.json -DTO=openapi_json.c -P openapi.cmake
file(READ ${FROM} hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
file(WRITE ${TO} "#include \"http/openapi.h\"\nconst unsigned char openapi_json[] = {\n${bytes}\n};\nconst size_t openapi_json_size = sizeof openapi_json;\n")
