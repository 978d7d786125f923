/**
 * Starts a statement whose plan connections may keep, because the best one does not depend on its values;
 * `keepPlans` of `@shardwalk/queries` names such statements.
 */
export const KEPT_PLAN = '/* keep plan */'
