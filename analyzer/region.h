/* region.h - the class of a region, told by its paradigm, role and name. */
#ifndef ANALYZER_REGION_H
#define ANALYZER_REGION_H

#include "model.h"

/* The rules of tacho's classification, for foreign and own archives alike. */
struct region region_classify(const struct in_region *in);

#endif
