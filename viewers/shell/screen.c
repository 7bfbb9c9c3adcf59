#include "config.h"
#include "viewers/shell/screen.h"
int screen_open(bool c, bool m, struct screen **o, struct err *e){(void)c;(void)m;(void)o;return err_set(e,ERR_USAGE,"no screen yet");}
void screen_close(struct screen*s){(void)s;} enum depth screen_depth(const struct screen*s){(void)s;return 0;} bool screen_is_ascii(const struct screen*s){(void)s;return 0;}
void screen_size(const struct screen*s,int*w,int*h){(void)s;*w=80;*h=24;} void screen_mouse(struct screen*s,bool o){(void)s;(void)o;} void screen_show(struct screen*s,const struct grid*g){(void)s;(void)g;}
void screen_forget(struct screen*s){(void)s;} struct event screen_wait(struct screen*s,int t){(void)s;(void)t;return (struct event){0};} void screen_wake(struct screen*s){(void)s;} void screen_pause(struct screen*s){(void)s;} void screen_resume(struct screen*s){(void)s;} void screen_suspend(struct screen*s){(void)s;}
