import type { ComponentChildren } from 'preact'
import { accountPath, friendlyOf, hexOf } from '../frame/paths.ts'
import { ChainText } from '../text/chain-text.tsx'
import { formatCount, formatTime, formatTon } from '../text/numbers.ts'
import { visibleText } from '../text/visible-text.ts'
import type { Names } from './replies.ts'

/** Both ends of a text that is too long for a table: attackers make addresses that are alike at the ends. */
const shortened = (text: string): string =>
  text.length <= 15 ? text : `${text.slice(0, 6)}…${text.slice(-6)}`

interface AddressProps {
  /** As in replies; null: none. */
  readonly raw: string | null | undefined
  readonly names: Names
  /** The account of the page, which is not a link. */
  readonly self?: string | undefined
}

/** An account by its domain or the ends of its address. */
export function Address({ raw, names, self }: AddressProps) {
  if (!raw) return <span class="soft">none</span>
  const row = names.address_book[raw]
  const friendly = row?.user_friendly ?? friendlyOf(raw, names)
  const text = <span class="mono">{shortened(friendly)}</span>
  if (raw === self) return <span title={friendly}>this account</span>
  return (
    <span class="address">
      <a href={accountPath(raw, names.testOnly)} title={friendly}>
        {text}
      </a>
      {row?.domain && (
        <small>
          {' '}
          <ChainText text={row.domain} kind="line" />
        </small>
      )}
    </span>
  )
}

interface HashProps {
  /** Base64 or hex. */
  readonly hash: string
  readonly path?: (hash: string) => string
  readonly whole?: boolean
}

/** A hash as hex, shortened unless `whole`; a link if `path` is given. */
export function Hash({ hash, path, whole }: HashProps) {
  const hex = hexOf(hash)
  const text = <span class="mono">{whole ? hex : shortened(hex)}</span>
  return path ? (
    <a href={path(hash)} title={hex}>
      {text}
    </a>
  ) : (
    <span title={hex}>{text}</span>
  )
}

/** An amount of nanotons. */
export const Ton = ({ nano }: { readonly nano: string | null | undefined }) =>
  nano ? (
    <span class="amount" title={`${nano} nanoton`}>
      {formatTon(nano)} TON
    </span>
  ) : (
    <span class="soft">–</span>
  )

/** A time in UTC. `unix`: seconds. */
export const Time = ({ unix }: { readonly unix: number | string }) => {
  const seconds = Number(unix)
  return <time datetime={new Date(seconds * 1000).toISOString()}>{formatTime(seconds)}</time>
}

/** A button that copies the text; hidden without scripts. */
export const Copy = ({ text, label }: { readonly text: string; readonly label: string }) => (
  <button type="button" class="copy" data-copy={text} aria-label={label} hidden>
    copy
  </button>
)

interface FactProps {
  readonly label: string
  readonly children: ComponentChildren
}

/** A term and its value in a list of facts. */
export const Fact = ({ label, children }: FactProps) => (
  <div>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
)

type HashFactProps = Omit<HashProps, 'hash'> & {
  readonly label: string
  readonly hash: string | null | undefined
}

/** A fact that is a hash; nothing without one. */
export const HashFact = ({ label, hash, ...shown }: HashFactProps) =>
  hash ? (
    <Fact label={label}>
      <Hash hash={hash} {...shown} />
    </Fact>
  ) : null

/** A fact that is an amount of nanotons; nothing without one. */
export const TonFact = ({ label, nano }: { readonly label: string; readonly nano: string | null }) =>
  nano === null ? null : (
    <Fact label={label}>
      <Ton nano={nano} />
    </Fact>
  )

/** A column of a table; `isNumber` aligns it to the right. */
export interface Column<Row> {
  readonly name: string
  readonly cell: (row: Row) => ComponentChildren
  readonly isNumber?: boolean
}

interface TableProps<Row> {
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  readonly empty: string
}

/** A table that becomes a list of cards on a phone. */
export function Table<Row>({ caption, columns, rows, keyOf, empty }: TableProps<Row>) {
  return (
    <div class="scroll">
      <table class="stack">
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ name, isNumber }) => (
              <th key={name} scope="col" class={isNumber ? 'num' : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.length === 0 && (
            <tr class="none">
              <td colSpan={columns.length}>{empty}</td>
            </tr>
          )}
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ name, cell, isNumber }) => (
                <td key={name} class={isNumber ? 'num' : undefined} data-label={name}>
                  <div>{cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The position in a list that is read by cursor. */
export interface PagerView {
  /** Path and parameters without the cursor. */
  readonly here: string
  readonly isFirst: boolean
  readonly sort: 'asc' | 'desc'
  /** What it is sorted by. Default: time. */
  readonly by?: 'time' | 'amount' | 'nothing'
  readonly next?: string | undefined
  /** Where the same is found as JSON. */
  readonly json: string
}

const withParameter = (path: string, text: string): string =>
  `${path}${path.includes('?') ? '&' : '?'}${text}`

const NEXT = {
  time: { desc: 'Older', asc: 'Newer' },
  amount: { desc: 'Smaller', asc: 'Larger' },
  nothing: { desc: 'More', asc: 'More' },
} as const
const TURN = {
  time: { desc: 'Oldest first', asc: 'Newest first' },
  amount: { desc: 'Smallest first', asc: 'Largest first' },
} as const

/** Links to the first and next page, the other order, and the same list as JSON. */
export const Pager = ({ pager }: { readonly pager: PagerView }) => (
  <nav class="pager" aria-label="Pages of the list">
    {!pager.isFirst && <a href={withParameter(pager.here, `sort=${pager.sort}`)}>First page</a>}
    {pager.next !== undefined && (
      <a rel="next" href={withParameter(pager.here, `sort=${pager.sort}&cursor=${pager.next}`)}>
        {NEXT[pager.by ?? 'time'][pager.sort]}
      </a>
    )}
    {pager.isFirst && pager.by !== 'nothing' && (
      <a href={withParameter(pager.here, `sort=${pager.sort === 'desc' ? 'asc' : 'desc'}`)}>
        {TURN[pager.by ?? 'time'][pager.sort]}
      </a>
    )}
    <a class="json" href={pager.json}>
      as JSON
    </a>
  </nav>
)

/** A value of decoded data, without interpretation. */
export function Json({ value, open }: { readonly value: unknown; readonly open?: boolean }) {
  const text = visibleJson(value)
  return (
    <details open={open === true && text.length <= MAX_OPEN}>
      <summary>Decoded body</summary>
      <pre class="chain-text">{text}</pre>
    </details>
  )
}

/** Characters shown without unfolding, and at all. */
const MAX_OPEN = 600
const MAX_SHOWN = 8000

function visibleJson(value: unknown): string {
  const text = JSON.stringify(value, undefined, 2)
  const lines = text.slice(0, MAX_SHOWN).split('\n').map(visibleText).join('\n')
  return text.length > MAX_SHOWN
    ? `${lines}\n… ${formatCount(text.length - MAX_SHOWN)} characters more`
    : lines
}
