/* Variables that programs of this folder cannot rename. */
extern int mod;
static const int floor = 1000;
