#include <stdio.h>
#include <stdlib.h>
#include <math.h>
/* viscous burgers, ftcs/upwind, periodic with ?: */
int main(int argc,char **argv)
{
  int n=256,nt=400,i,t;
  double nu=0.01,dx,dt,*u,*un,sum=0.,mx=0.;
  if(argc>1)n=atoi(argv[1]);
  if(argc>2)nt=atoi(argv[2]);
  dx=2.0*M_PI/n;
  dt=0.2*dx;
  if(dt>0.2*dx*dx/nu)dt=0.2*dx*dx/nu;
  u=malloc(sizeof(double)*n);
  un=malloc(sizeof(double)*n);
  if(!u||!un){fprintf(stderr,"no memory\n");return 1;}
  for(i=0;i<n;i++)u[i]=1.0+0.5*sin(i*dx);
  for(t=0;t<nt;t++){
    for(i=0;i<n;i++)un[i]=u[i];
    for(i=0;i<n;i++){
      int l=i==0?n-1:i-1;
      int r=i==n-1?0:i+1;
      u[i]=un[i]-un[i]*dt/dx*(un[i]-un[l])+nu*dt/(dx*dx)*(un[r]-2*un[i]+un[l]);
    }
  }
  for(i=0;i<n;i++){
    sum+=u[i];
    if(u[i]>mx)mx=u[i];
  }
  printf("dx %.9f dt %.9f\n",dx,dt);
  printf("mean %.12f max %.12f\n",sum/n,mx);
  for(i=0;i<n;i+=n/16)
    printf("%6.3f %.12f\n",i*dx,u[i]);
  /* total variation */
  sum=0.;
  for(i=0;i<n;i++){
    double d=u[(i+1)%n]-u[i];
    sum+=d<0?-d:d;
  }
  printf("tv %.12f\n",sum);
  /* check that the steepest point moved to the right */
  {
    int at=0;
    double s=0.;
    for(i=1;i<n;i++)
      if(u[i-1]-u[i]>s){
        s=u[i-1]-u[i];
        at=i;
      }
    printf("front at %d slope %.9f\n",at,s/dx);
  }
  free(u);
  free(un);
  return 0;
}
