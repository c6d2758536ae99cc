/* emptyscop: A scop region without a statement.
 * hexcc-test: expect=HX0102
 */
void emptyscop(void)
{
#pragma scop  // here
#pragma endscop
}
