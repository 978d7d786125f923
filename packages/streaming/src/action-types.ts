import { expandSupportedTypes, STORED_ACTION_TYPES } from '@shardwalk/actions'
import { RecentMap } from '@shardwalk/model'
import type { RequestBody } from './request-body.ts'

/** As in API v3. */
const MAX_NAMES = 1_000
const MAX_NAME = 64
/** Sets that are kept to be shared. */
const MAX_SETS = 100

/** Types of actions, of which equal sets are one as a rule. */
export type ActionTypes = ReadonlySet<string>

/** The names of a member. Undefined: absent or null. Throws `Refused`. */
export function actionNames(body: RequestBody, member: string): readonly string[] | undefined {
  const names = body.list(member)
  if (!names) return undefined
  if (names.length > MAX_NAMES) throw body.wrong(`too many ${member}: ${names.length} > max ${MAX_NAMES}`)
  if (names.some((name) => name.length > MAX_NAME))
    throw body.wrong(`${member} has a name of more than ${MAX_NAME} characters`)
  return names
}

/** `action_types`. Undefined: all. */
export const wantedTypes = (names: readonly string[]): ActionTypes | undefined =>
  names.length > 0 ? existing(new Set(names)) : undefined

/** `supported_action_types`. `version`: if there are no names. */
export const supportedTypes = (names: readonly string[], version: string | undefined): ActionTypes =>
  existing(names.length > 0 ? expandSupportedTypes(names) : expandSupportedTypes(undefined, version))

/** Names repeat between connections; those used last are kept. */
const sets = new RecentMap<string, ActionTypes>(MAX_SETS)

/** Without names that no action has. */
function existing(types: ActionTypes): ActionTypes {
  const known = STORED_ACTION_TYPES.filter((type) => types.has(type))
  const key = known.join()
  const set = sets.get(key) ?? new Set(known)
  sets.set(key, set)
  return set
}
