/* db_schema.c - the schema (schema/NAME.sql) as one text. */
#include "config.h"

#include "db/db.h"
#include "db/schema_sql.h"

const char *const db_schema = schema_sql;
