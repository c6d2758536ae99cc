/* The part of libpet's interface (and of the isl inside it) that hexcc uses.
 *
 * Only what is called is declared, and isl and pet types are opaque except for
 * the four structures that libpet has no accessors for. Their layout is part of
 * pet's public interface; tests/extract.rs compares each field with a real scop.
 */

typedef struct isl_ctx isl_ctx;
typedef struct isl_set isl_set;
typedef struct isl_map isl_map;
typedef struct isl_union_map isl_union_map;
typedef struct isl_schedule isl_schedule;
typedef struct isl_multi_pw_aff isl_multi_pw_aff;
typedef struct isl_id isl_id;
typedef struct isl_val isl_val;
typedef struct isl_printer isl_printer;
struct isl_args;

typedef struct pet_loc pet_loc;
typedef struct pet_expr pet_expr;
typedef struct pet_tree pet_tree;
struct pet_options;
struct pet_type;
struct pet_implication;
struct pet_independence;

/* isl */
isl_ctx *isl_ctx_alloc_with_options(struct isl_args *args, void *options);
void isl_ctx_free(isl_ctx *ctx);
int isl_options_set_on_error(isl_ctx *ctx, int value);
const char *isl_ctx_last_error_msg(isl_ctx *ctx);
char *isl_set_to_str(isl_set *set);
const char *isl_set_get_tuple_name(isl_set *set);
int isl_set_has_tuple_name(isl_set *set);
int isl_set_is_wrapping(isl_set *set);
isl_set *isl_set_copy(isl_set *set);
void *isl_set_free(isl_set *set);
isl_map *isl_set_unwrap(isl_set *set);
isl_set *isl_map_domain(isl_map *map);
char *isl_union_map_to_str(isl_union_map *map);
void *isl_union_map_free(isl_union_map *map);
isl_union_map *isl_schedule_get_map(isl_schedule *schedule);
char *isl_multi_pw_aff_to_str(isl_multi_pw_aff *aff);
void *isl_multi_pw_aff_free(isl_multi_pw_aff *aff);
const char *isl_id_get_name(isl_id *id);
void *isl_id_free(isl_id *id);
char *isl_val_to_str(isl_val *value);
void *isl_val_free(isl_val *value);
isl_printer *isl_printer_to_str(isl_ctx *ctx);
isl_printer *isl_printer_set_yaml_style(isl_printer *printer, int style);
char *isl_printer_get_str(isl_printer *printer);
void *isl_printer_free(isl_printer *printer);

/* Options: parsed like a command line. */
struct pet_options *pet_options_new_with_defaults(void);
int pet_options_parse(struct pet_options *options, int argc, char **argv, unsigned flags);
int pet_options_set_autodetect(isl_ctx *ctx, int value);
int pet_options_set_signed_overflow(isl_ctx *ctx, int value);

/* Locations */
unsigned pet_loc_get_start(pet_loc *loc);
unsigned pet_loc_get_end(pet_loc *loc);
int pet_loc_get_line(pet_loc *loc);
const char *pet_loc_get_indent(pet_loc *loc);
pet_loc *pet_loc_free(pet_loc *loc);

/* Expressions */
enum pet_expr_type {
	pet_expr_error = -1,
	pet_expr_access,
	pet_expr_call,
	pet_expr_cast,
	pet_expr_int,
	pet_expr_double,
	pet_expr_op
};
enum pet_expr_type pet_expr_get_type(pet_expr *expr);
int pet_expr_get_type_size(pet_expr *expr);
int pet_expr_get_n_arg(pet_expr *expr);
pet_expr *pet_expr_get_arg(pet_expr *expr, int position);
pet_expr *pet_expr_set_arg(pet_expr *expr, int position, pet_expr *arg);
pet_expr *pet_expr_copy(pet_expr *expr);
int pet_expr_op_get_type(pet_expr *expr);
const char *pet_op_str(int op);
int pet_expr_is_affine(pet_expr *expr);
int pet_expr_access_is_read(pet_expr *expr);
int pet_expr_access_is_write(pet_expr *expr);
isl_id *pet_expr_access_get_id(pet_expr *expr);
isl_multi_pw_aff *pet_expr_access_get_index(pet_expr *expr);
const char *pet_expr_call_get_name(pet_expr *expr);
isl_val *pet_expr_int_get_val(pet_expr *expr);
char *pet_expr_double_get_str(pet_expr *expr);
isl_printer *pet_expr_print(pet_expr *expr, isl_printer *printer);
pet_expr *pet_expr_free(pet_expr *expr);

/* Trees */
enum pet_tree_type {
	pet_tree_error = -1,
	pet_tree_expr,
	pet_tree_block,
	pet_tree_break,
	pet_tree_continue,
	pet_tree_decl,
	pet_tree_decl_init,
	pet_tree_if,
	pet_tree_if_else,
	pet_tree_for,
	pet_tree_infinite_loop,
	pet_tree_while,
	pet_tree_return
};
enum pet_tree_type pet_tree_get_type(pet_tree *tree);
pet_expr *pet_tree_expr_get_expr(pet_tree *tree);
pet_expr *pet_tree_decl_get_var(pet_tree *tree);
pet_expr *pet_tree_decl_get_init(pet_tree *tree);

/* Scops */
struct pet_stmt {
	pet_loc *loc;
	isl_set *domain;
	pet_tree *body;
	unsigned n_arg;
	pet_expr **args;
};
struct pet_array {
	isl_set *context;
	isl_set *extent;
	isl_set *value_bounds;
	char *element_type;
	int element_is_record;
	int element_size;
	int live_out;
	int uniquely_defined;
	int declared;
	int exposed;
	int outer;
};
struct pet_scop {
	pet_loc *loc;
	isl_set *context;
	isl_set *context_value;
	isl_schedule *schedule;
	int n_type;
	struct pet_type **types;
	int n_array;
	struct pet_array **arrays;
	int n_stmt;
	struct pet_stmt **stmts;
	int n_implication;
	struct pet_implication **implications;
	int n_independence;
	struct pet_independence **independences;
};
typedef struct pet_scop pet_scop;

int pet_stmt_is_kill(struct pet_stmt *stmt);
pet_scop *pet_scop_extract_from_C_source(isl_ctx *ctx, const char *filename, const char *function);
int pet_scop_has_data_dependent_accesses(pet_scop *scop);
int pet_scop_has_data_dependent_conditions(pet_scop *scop);
void *pet_scop_free(pet_scop *scop);
