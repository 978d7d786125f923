import type { Infer, ObjectCodec } from './codec.ts'
import type { LITE_OBJECTS } from './objects.ts'

type Listed = (typeof LITE_OBJECTS)[number]

/** Value types by constructor name. */
export type LiteObjects = { readonly [C in Listed as C['name']]: Infer<C> }
/** Name of a constructor, e.g. `liteServer.blockHeader`. */
export type LiteObjectName = keyof LiteObjects
/** Value of one constructor, e.g. `LiteObject<'liteServer.blockHeader'>`. */
export type LiteObject<N extends LiteObjectName> = LiteObjects[N]

/** Finds constructors by name and by id. The constructor throws if either is duplicated. */
export class Registry<C extends ObjectCodec<string, unknown>> {
  private readonly byName: ReadonlyMap<string, C>
  private readonly byId: ReadonlyMap<number, C>

  constructor(readonly all: readonly C[]) {
    this.byName = new Map(all.map((c) => [c.name, c]))
    this.byId = new Map(all.map((c) => [c.id, c]))
    if (this.byName.size !== all.length || this.byId.size !== all.length)
      throw new Error('a TL name or id is listed twice')
  }

  named(name: string): C {
    const found = this.byName.get(name)
    if (!found) throw new TypeError(`no TL constructor ${name}`)
    return found
  }

  withId(id: number): C | undefined {
    return this.byId.get(id)
  }
}
