# Writes db/references.json as a C string. Called with -DOUT=file.c -DIN=file.json.
file(READ ${IN} hex HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes ${hex})
file(WRITE ${OUT} "// Made from db/references.json by labd/run/references.cmake.\n#include \"run/references.h\"\nconst char references_json[] = { ${bytes} 0 };\n")
