import type { Kind } from './kinds.ts'

/** One setting. Everything else about it is derived from this definition. */
export interface Setting<T> {
  /** Name in the environment and in `.env`. */
  readonly name: string
  readonly kind: Kind<T>
  /** Flag without dashes. Undefined for secrets, which would be visible in `ps`. */
  readonly flag?: string
  /** Default value as text, parsed by `kind`; undefined if there is none. */
  readonly default?: string
  /** One sentence in present tense, with the unit. */
  readonly help: string
  /** Behaviour if neither a value nor a default is given. */
  readonly otherwise?: string
  /** Masked in logs; may also be given as `<NAME>_FILE`, the path of a file with the value. */
  readonly secret?: boolean
  readonly example: string
}

/** Returns its argument; the type of the value is inferred from the kind. */
export const setting = <T>(definition: Setting<T>): Setting<T> => definition

/** A setting with a default is never undefined. */
export const required = <T>(definition: Setting<T> & { readonly default: string }) => ({
  ...definition,
  required: true as const,
})
