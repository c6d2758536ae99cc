/* One dimensional shallow water equations, Lax-Wendroff, reflecting ends.
   Compile: gcc shallow_water_1d.c -lm */
# include <stdlib.h>
# include <stdio.h>
# include <math.h>

void initial_conditions ( int nx, double x_length, double x[], double h[], double uh[] );
void boundary ( int nx, double h[], double uh[] );

int main ( int argc, char *argv[] )
{
  double dt, dx, g = 9.81, t_length = 0.25, x_length = 1.0, time;
  double *h, *hm, *uh, *uhm, *x;
  int i, it, nt = 400, nx = 161;

  if ( 1 < argc )
  {
    nx = atoi ( argv[1] );
  }
  if ( 2 < argc )
  {
    nt = atoi ( argv[2] );
  }

  printf ( "\n" );
  printf ( "SHALLOW_WATER_1D\n" );
  printf ( "  nx = %d, nt = %d\n", nx, nt );

  h = ( double * ) malloc ( nx * sizeof ( double ) );
  hm = ( double * ) malloc ( ( nx - 1 ) * sizeof ( double ) );
  uh = ( double * ) malloc ( nx * sizeof ( double ) );
  uhm = ( double * ) malloc ( ( nx - 1 ) * sizeof ( double ) );
  x = ( double * ) malloc ( nx * sizeof ( double ) );

  dx = x_length / ( double ) ( nx - 1 );
  dt = t_length / ( double ) nt;

  initial_conditions ( nx, x_length, x, h, uh );
  boundary ( nx, h, uh );

  time = 0.0;
  for ( it = 1; it <= nt; it++ )
  {
    time = time + dt;
/*
  Half step.
*/
    for ( i = 0; i < nx - 1; i++ )
    {
      hm[i] = ( h[i] + h[i+1] ) / 2.0
        - ( dt / 2.0 ) * ( uh[i+1] - uh[i] ) / dx;
    }
    for ( i = 0; i < nx - 1; i++ )
    {
      uhm[i] = ( uh[i] + uh[i+1] ) / 2.0
        - ( dt / 2.0 ) * ( uh[i+1] * uh[i+1] / h[i+1]
                           + 0.5 * g * h[i+1] * h[i+1]
                           - uh[i] * uh[i] / h[i]
                           - 0.5 * g * h[i] * h[i] ) / dx;
    }
/*
  Full step.
*/
    for ( i = 1; i < nx - 1; i++ )
    {
      h[i] = h[i] - dt * ( uhm[i] - uhm[i-1] ) / dx;
    }
    for ( i = 1; i < nx - 1; i++ )
    {
      uh[i] = uh[i] - dt * ( uhm[i] * uhm[i] / hm[i]
                             + 0.5 * g * hm[i] * hm[i]
                             - uhm[i-1] * uhm[i-1] / hm[i-1]
                             - 0.5 * g * hm[i-1] * hm[i-1] ) / dx;
    }
    boundary ( nx, h, uh );
  }

  printf ( "  final time %g\n", time );
  for ( i = 0; i < nx; i = i + 20 )
  {
    printf ( "  %10.6f  %14.10f  %14.10f\n", x[i], h[i], uh[i] );
  }
  free ( h );
  free ( hm );
  free ( uh );
  free ( uhm );
  free ( x );
  return 0;
}

void initial_conditions ( int nx, double x_length, double x[], double h[], double uh[] )
{
  int i;

  for ( i = 0; i < nx; i++ )
  {
    x[i] = x_length * ( double ) i / ( double ) ( nx - 1 );
    h[i] = 2.0 + sin ( 2.0 * 3.141592653589793 * x[i] );
    uh[i] = 0.0;
  }
  return;
}

void boundary ( int nx, double h[], double uh[] )
{
  h[0] = h[1];
  h[nx-1] = h[nx-2];
  uh[0] = - uh[1];
  uh[nx-1] = - uh[nx-2];
  return;
}
