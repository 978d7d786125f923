import { MASTERCHAIN } from '@shardwalk/model'
import type { Frame } from '../frame/frame.ts'
import { Layout } from '../frame/layout.tsx'
import { blockPath } from '../frame/paths.ts'
import { formatCount } from '../text/numbers.ts'
import { Fact, Hash, HashFact, Pager, type PagerView, Table, Time } from './parts.tsx'
import type { Block, Listed, Names, Transaction } from './replies.ts'
import { ShardFigure } from './shards.tsx'
import { TransactionTable } from './transactions.tsx'

/** A block with a page of its transactions. */
export interface BlockView {
  readonly block: Block
  readonly transactions: Listed<Transaction>
  readonly pager: PagerView
  /** Of a masterchain block: what it commits, without itself. */
  readonly committed?: readonly Block[] | undefined
  /** The blocks after it, if indexed: two after a split. */
  readonly following: readonly Block[]
  readonly names: Names
}

type BlockRef = Block['masterchain_block_ref']

const idOf = ({ workchain, shard, seqno }: BlockRef): string => `${workchain}:${shard.toLowerCase()}:${seqno}`

const BlockName = ({ block }: { readonly block: BlockRef }) => (
  <a class="mono" href={blockPath(block)}>
    {idOf(block)}
  </a>
)

/** Header of a block, the blocks that it commits or follows, its transactions. */
export function BlockPage({ frame, view }: { readonly frame: Frame; readonly view: BlockView }) {
  const { block, transactions, pager, committed, names } = view
  const kind = block.workchain === MASTERCHAIN ? 'Masterchain block' : 'Block'
  return (
    <Layout frame={{ ...frame, current: 'blocks' }} title={`${kind} ${block.seqno}`}>
      <h1>
        {kind} {formatCount(block.seqno)} <small class="mono">{idOf(block)}</small>
      </h1>
      <BlockFacts view={view} />
      {committed && (
        <section>
          <h2>Shards</h2>
          <ShardFigure blocks={committed} />
          <BlockTable blocks={committed} caption="Blocks that it commits" />
        </section>
      )}
      <section>
        <h2>
          Transactions <small>{formatCount(block.tx_count)}</small>
        </h2>
        <TransactionTable
          transactions={transactions.rows}
          names={names}
          caption="In order of logical time"
          empty="None."
        />
        <Pager pager={pager} />
      </section>
    </Layout>
  )
}

const FLAGS = [
  ['key_block', 'key block'],
  ['after_split', 'after a split'],
  ['after_merge', 'after a merge'],
  ['before_split', 'before a split'],
  ['want_split', 'wants to split'],
  ['want_merge', 'wants to merge'],
] as const

const flagsOf = (block: Block): string =>
  FLAGS.filter(([key]) => block[key])
    .map(([, words]) => words)
    .join(', ')

const BlockNames = ({ blocks }: { readonly blocks: readonly BlockRef[] }) => (
  <>
    {blocks.map((block) => (
      <div key={idOf(block)}>
        <BlockName block={block} />
      </div>
    ))}
  </>
)

function BlockFacts({ view: { block, following } }: { readonly view: BlockView }) {
  return (
    <section class="card">
      <dl class="facts">
        <Fact label="Time">
          <Time unix={block.gen_utime} /> <small>UTC</small>
        </Fact>
        <HashFact label="Root hash" hash={block.root_hash} whole />
        <HashFact label="File hash" hash={block.file_hash} whole />
        {block.workchain !== MASTERCHAIN && (
          <Fact label="Committed by">
            <BlockName block={block.masterchain_block_ref} />
          </Fact>
        )}
        <Fact label="Previous">
          <BlockNames blocks={block.prev_blocks} />
        </Fact>
        <Fact label="Next">
          {following.length === 0 && <span class="soft">not indexed</span>}
          <BlockNames blocks={following} />
        </Fact>
        <Fact label="Logical time">
          {block.start_lt} to {block.end_lt}
        </Fact>
        <Fact label="Flags">{flagsOf(block) || <span class="soft">none</span>}</Fact>
        <Fact label="Key block before it">{formatCount(block.prev_key_block_seqno)}</Fact>
        <Fact label="Made by">
          <Hash hash={block.created_by} />{' '}
          <small>
            catchain {formatCount(block.gen_catchain_seqno)}, version {block.version}
          </small>
        </Fact>
      </dl>
    </section>
  )
}

const BlockTable = ({ blocks, caption }: { readonly blocks: readonly Block[]; readonly caption: string }) => (
  <Table
    caption={caption}
    columns={[
      { name: 'Block', cell: (block) => <BlockName block={block} /> },
      { name: 'Time', cell: (block) => <Time unix={block.gen_utime} /> },
      { name: 'Transactions', cell: (block) => formatCount(block.tx_count), isNumber: true },
      { name: 'Flags', cell: flagsOf },
    ]}
    rows={blocks}
    keyOf={idOf}
    empty="None."
  />
)

/** A page of the list of blocks. */
export interface BlocksView {
  readonly blocks: Listed<Block>
  readonly pager: PagerView
}

/** The list of blocks. */
export const BlocksPage = ({ frame, view }: { readonly frame: Frame; readonly view: BlocksView }) => (
  <Layout frame={{ ...frame, current: 'blocks' }} title="Blocks">
    <h1>Blocks</h1>
    <section>
      <BlockTable
        blocks={view.blocks.rows}
        caption={`Of the masterchain, ${view.pager.sort === 'desc' ? 'newest' : 'oldest'} first`}
      />
      <Pager pager={view.pager} />
    </section>
  </Layout>
)
