// SPDX-License-Identifier: GPL-2.0-or-later
/* Feeds a fuzz target with the files of its corpus folders, where the compiler has no fuzzer of its own. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static uint8_t input[1 << 20];

static int replay_file(const char *folder, const char *name)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	f = fopen(path, "rb");
	if (!f)
		return 0;
	size_t n = fread(input, 1, sizeof input, f);
	fclose(f);
	uint8_t *exact = malloc(n ? n : 1);          /* of the exact size, so that a sanitizer sees the end */
	if (!exact)
		abort();
	memcpy(exact, input, n);
	LLVMFuzzerTestOneInput(exact, n);
	free(exact);
	return 1;
}

int main(int argc, char **argv)
{
	int files = 0;

	for (int i = 1; i < argc; i++) {
		DIR *d = opendir(argv[i]);
		struct dirent *e;

		while (d && (e = readdir(d)))
			if (e->d_name[0] != '.')
				files += replay_file(argv[i], e->d_name);
		if (d)
			closedir(d);
	}
	printf("%d inputs replayed\n", files);
	return files == 0;
}
