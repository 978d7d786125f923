import { hexOf } from '../frame/paths.ts'
import { formatCount, formatTon } from '../text/numbers.ts'
import { cutText } from '../text/visible-text.ts'
import { COLOURS } from './letters.ts'
import type { Message } from './replies.ts'
import type { TraceTree, TreeNode } from './trace-tree.ts'
import { commentIn, opcodeHex, outcomeOf } from './transactions.tsx'

/** Pixels. */
const COLUMN = 200
const ROW = 56
const RADIUS = 13
const MARGIN = 24
/** For the arrow of the message from outside. */
const LEFT = 170

const x = ({ depth }: TreeNode): number => LEFT + depth * COLUMN
const y = (node: TreeNode): number => MARGIN + node.y * ROW

/** The tree as a drawing. Hidden from readers of the screen, who have the list. */
export function TraceFigure({ tree }: { readonly tree: TraceTree }) {
  const width = LEFT + tree.depth * COLUMN + 190
  const height = 2 * MARGIN + Math.max(0, tree.rows - 1) * ROW + 10
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <figure class="tree" tabIndex={0} aria-label="Drawing of the trace; the list below says the same">
      <svg aria-hidden="true" width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
        {tree.nodes.map((node) => (
          <Edge
            key={node.transaction.hash}
            node={node}
            parent={node.parent === undefined ? undefined : tree.nodes[node.parent]}
          />
        ))}
        {tree.nodes.map((node) => (
          <Circle key={node.transaction.hash} node={node} />
        ))}
        {tree.nodes.map((node) => node.hidden > 0 && <More key={node.transaction.hash} node={node} />)}
      </svg>
    </figure>
  )
}

/** Id of the row of a transaction on the page of its trace. `hash`: base64. */
export const anchorOf = (hash: string): string =>
  `tx-${Buffer.from(hash, 'base64').toString('hex').slice(0, 16)}`

function Circle({ node }: { readonly node: TreeNode }) {
  const { transaction, letter, account } = node
  const outcome = outcomeOf(transaction)
  return (
    <a href={`#${anchorOf(transaction.hash)}`} tabIndex={-1}>
      <circle
        class={`node account-${account % COLOURS}${outcome.isGood ? '' : ' failed'}`}
        cx={x(node)}
        cy={y(node)}
        r={RADIUS}
      />
      <text class="letter" x={x(node)} y={y(node) + 4}>
        {letter}
      </text>
      {!outcome.isGood && (
        <text class="note bad" x={x(node) + RADIUS + 4} y={y(node) - RADIUS + 2}>
          ✕ {outcome.word}
        </text>
      )}
    </a>
  )
}

/** What is not drawn below a node, on a page of its own. */
const More = ({ node }: { readonly node: TreeNode }) => (
  <a href={pathFrom(node)} tabIndex={-1}>
    <text class="note" x={x(node) + RADIUS + 6} y={y(node) + 4}>
      {formatCount(node.hidden)} more →
    </text>
  </a>
)

/** The same page with the tree from this node on, without those of its children that were shown. */
export const pathFrom = ({ transaction, shown }: TreeNode): string =>
  `?root=${hexOf(transaction.hash)}${shown > 0 ? `&skip=${shown}` : ''}`

/** Characters of a label. */
const MAX_LABEL = 22

function Edge({ node, parent }: { readonly node: TreeNode; readonly parent: TreeNode | undefined }) {
  const message = node.transaction.in_msg
  const startX = parent ? x(parent) + RADIUS : 8
  const startY = parent ? y(parent) : y(node)
  const endX = x(node) - RADIUS
  const bendX = parent ? x(parent) + 34 : startX
  const path =
    startY === y(node) ? `M${startX} ${startY}H${endX}` : bent({ startX, startY, bendX, endX, endY: y(node) })
  const kind = `edge${message?.bounced ? ' bounced' : ''}${message?.init_state ? ' deploying' : ''}`
  const textX = parent ? bendX + 10 : startX
  return (
    <g>
      <path class={kind} d={path} />
      <text class="value" x={textX} y={y(node) - 6}>
        {amountOf(message)}
      </text>
      <text class="op" x={textX} y={y(node) + 14}>
        {labelOf(message)}
      </text>
    </g>
  )
}

interface Bend {
  readonly startX: number
  readonly startY: number
  readonly bendX: number
  readonly endX: number
  readonly endY: number
}

/** Across, down or up with round corners, across. */
function bent({ startX, startY, bendX, endX, endY }: Bend): string {
  const corner = Math.sign(endY - startY) * 8
  return (
    `M${startX} ${startY}H${bendX - 8}Q${bendX} ${startY} ${bendX} ${startY + corner}` +
    `V${endY - corner}Q${bendX} ${endY} ${bendX + 8} ${endY}H${endX}`
  )
}

function amountOf(message: Message | null): string {
  if (!message) return 'SYS'
  if (message.source === null) return 'external'
  return message.value === null ? '' : `${formatTon(message.value)} TON`
}

function labelOf(message: Message | null): string {
  if (!message) return ''
  const comment = commentIn(message)
  const text = comment ?? message.decoded_opcode ?? opcodeHex(message.opcode) ?? ''
  const cut = cutText(text, MAX_LABEL)
  const label = cut.isWhole ? cut.text : `${cut.text}…`
  return `${message.bounced ? '↩ ' : ''}${comment === undefined ? label : `“${label}”`}`
}
