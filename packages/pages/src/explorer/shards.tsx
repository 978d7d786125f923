import type { Block } from './replies.ts'

interface Leaf {
  readonly block: Block
  /** The prefix in binary. */
  readonly prefix: string
}

/** A shard id is its prefix followed by a 1 bit. Source: block.tlb `shard_ident#00`. */
function shardPrefix(shard: string): string {
  const bits = BigInt(`0x${shard}`).toString(2).padStart(64, '0')
  return bits.slice(0, bits.lastIndexOf('1'))
}

const WIDTH = 960
const ROW = 26
/** Deeper shards are listed, not drawn. */
const MAX_DEPTH = 12

/** The space of prefixes: a row per depth, a rectangle per shard, as wide as its part of the accounts. */
export function ShardFigure({ blocks }: { readonly blocks: readonly Block[] }) {
  const workchains = [...new Set(blocks.map(({ workchain }) => workchain))].filter((one) => one >= 0)
  return (
    <>
      {workchains.map((workchain) => (
        <Workchain key={workchain} leaves={newest(blocks.filter((block) => block.workchain === workchain))} />
      ))}
    </>
  )
}

/** The newest block of each shard. */
function newest(blocks: readonly Block[]): Leaf[] {
  const byShard = new Map<string, Block>()
  for (const block of blocks)
    if (block.seqno >= (byShard.get(block.shard)?.seqno ?? 0)) byShard.set(block.shard, block)
  return [...byShard.values()].map((block) => ({ block, prefix: shardPrefix(block.shard) }))
}

function Workchain({ leaves }: { readonly leaves: readonly Leaf[] }) {
  const drawn = leaves.filter(({ prefix }) => prefix.length <= MAX_DEPTH)
  const depth = drawn.reduce((most, { prefix }) => Math.max(most, prefix.length), 0)
  const height = (depth + 1) * ROW
  return (
    <figure class="shards">
      <svg aria-hidden="true" viewBox={`0 0 ${WIDTH} ${height}`} preserveAspectRatio="none" height={height}>
        {drawn.map(({ block, prefix }) => {
          const width = WIDTH / 2 ** prefix.length
          const x = prefix === '' ? 0 : Number.parseInt(prefix, 2) * width
          return (
            <g key={block.shard}>
              <rect class="shard" x={x + 1} y={1} width={Math.max(1, width - 2)} height={height - 2} />
              <text x={x + width / 2} y={height / 2 + 4}>
                {prefix === '' ? 'all' : prefix} · {block.seqno}
                {block.after_split ? ', split' : block.after_merge ? ', merged' : ''}
              </text>
            </g>
          )
        })}
      </svg>
    </figure>
  )
}
