/* noloops: A file without a loop.
 * hexcc-test: expect=HX0102
 */
int noloops(int n)
{
  return n + 1;
}
