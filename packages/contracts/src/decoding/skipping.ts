import { loadStdAddress, type Slice } from '@shardwalk/cells'
import { DecodeError } from '@shardwalk/model'
import type { Constructor, TypeExpr } from '../bodies/schema/grammar.ts'
import type { TypeTable } from './compile.ts'

type Skip = (slice: Slice) => void

/**
 * Skips fields that the caller does not read. Bits and references of fixed number are added up. A field whose
 * end cannot be known is an error only when something behind it is wanted.
 */
export class Skipping {
  private bits = 0
  private refs = 0
  private skips: Skip[] = []
  private endless: TypeError | undefined

  constructor(private readonly types: TypeTable) {}

  add(type: TypeExpr, where: string): void {
    if (this.endless) return
    try {
      this.addField(type, where)
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      this.endless = error
    }
  }

  /** What was added since the last call. Throws TypeError. */
  flush(): readonly Skip[] {
    if (this.endless) throw this.endless
    this.pushFixed()
    const skips = this.skips
    this.skips = []
    return skips
  }

  private addField(type: TypeExpr, where: string): void {
    switch (type.kind) {
      case 'uint':
      case 'int':
        this.bits += type.size
        break
      case 'bool':
        this.bits += 1
        break
      case 'bits':
        if (type.size.name !== undefined) throw unbounded(where)
        this.bits += type.size.addend
        break
      case 'cell':
      case 'ref':
        this.refs += 1
        break
      case 'record':
        for (const field of type.fields) this.add(field.type, where)
        break
      default: {
        const tagBits = this.bareTag(type)
        this.bits += tagBits
        if (tagBits > 0) break
        this.pushFixed()
        this.skips.push(this.variable(type, where))
      }
    }
  }

  private pushFixed(): void {
    const { bits, refs } = this
    if (bits > 0) this.skips.push((slice) => void slice.skip(bits))
    if (refs > 0) this.skips.push((slice) => void slice.skipRefs(refs))
    this.bits = 0
    this.refs = 0
  }

  /** Width of a type whose alternatives are tags and nothing else; 0 for other types. */
  private bareTag(type: TypeExpr): number {
    if (type.kind !== 'named') return 0
    const [first, ...others] = this.types.constructorsOf(type.name)
    const bits = first?.tag.bits ?? 0
    const isBare = [first, ...others].every((one) => one?.tag.bits === bits && one.fields.length === 0)
    return isBare ? bits : 0
  }

  private variable(type: TypeExpr, where: string): Skip {
    switch (type.kind) {
      case 'addr':
      case 'addrInt':
      case 'addrExt':
        return (slice) => void loadStdAddress(slice)
      case 'coins':
      case 'grams':
        return (slice) => void slice.loadCoins()
      case 'varuint': {
        const bits = lengthBits(type.size)
        return (slice) => void slice.loadVarUint(bits)
      }
      case 'maybe': {
        const skip = this.whole(type.of, where)
        return (slice) => {
          if (slice.loadBit()) skip(slice)
        }
      }
      case 'either': {
        const [left, right] = [this.whole(type.left, where), this.whole(type.right, where)]
        return (slice) => (slice.loadBit() ? right : left)(slice)
      }
      case 'dict':
        if (type.isBare) throw unbounded(where)
        return (slice) => {
          if (slice.loadBit()) slice.skipRefs(1)
        }
      case 'named':
        return this.alternatives(this.types.constructorsOf(type.name), where)
      default:
        throw unbounded(where)
    }
  }

  private whole(type: TypeExpr, where: string): Skip {
    const inner = new Skipping(this.types)
    inner.add(type, where)
    return all(inner.flush())
  }

  private alternatives(constructors: readonly Constructor[], where: string): Skip {
    const choices = constructors.map(({ tag, fields, params }) => {
      if (params.length > 0) throw unbounded(where)
      return { tag, skip: this.whole({ kind: 'record', fields }, where) }
    })
    return (slice) => {
      const choice = choices.find(({ tag }) => tag.bits === 0 || slice.preloadUint(tag.bits) === tag.value)
      if (!choice) throw new DecodeError(where, 'no alternative has this tag')
      choice.skip(slice.skip(choice.tag.bits))
    }
  }
}

/** Width of the length of `VarUInteger n`: enough for n - 1 bytes. */
export const lengthBits = (n: number): number => 32 - Math.clz32(n - 1)

const all =
  (skips: readonly Skip[]): Skip =>
  (slice) => {
    for (const skip of skips) skip(slice)
  }

const unbounded = (where: string): TypeError => new TypeError(`${where} cannot be passed over`)
