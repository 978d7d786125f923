import { readFileSync } from 'node:fs'
import type { ProfileRules } from '@shardwalk/api-schema'

type Examples = Readonly<Record<string, unknown>>

const read = (name: string): Examples =>
  JSON.parse(readFileSync(new URL(`./data/${name}.json`, import.meta.url), 'utf8')) as Examples

/** Replies of the sample chain, by method. */
export const v2Examples = (): Examples => read('v2-examples')

/** Replies of the sample chain as the profile has them, by verb and path. */
export function v3Examples(rules: ProfileRules): Examples {
  const examples = read('v3-examples')
  const shown = rules.opcode === 'hex' ? (withHexOpcodes(examples) as Examples) : examples
  if (rules.shardState !== 'blocks') return shown
  const { blocks } = shown[SHARD_STATE] as { readonly blocks: unknown }
  return { ...shown, [SHARD_STATE]: { blocks } }
}

const SHARD_STATE = 'get masterchainBlockShardState'

function withHexOpcodes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withHexOpcodes)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      key === 'opcode' && typeof item === 'number'
        ? `0x${item.toString(16).padStart(8, '0')}`
        : withHexOpcodes(item),
    ]),
  )
}
