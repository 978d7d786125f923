import type { ComponentChildren } from 'preact'
import type { Frame } from '../frame/frame.ts'
import { Layout } from '../frame/layout.tsx'
import { Disk } from './disk.tsx'
import { BAR_WIDTH, type BarPart } from './range-bar.ts'
import type { StatusView } from './status-view.ts'

const SIGNS = { good: '✓', busy: '…', bad: '!' } as const

/**
 * The state of the service. The script replaces texts and rows in place; without it the page reloads
 * itself.
 */
export function StatusPage({ frame, view }: { readonly frame: Frame; readonly view: StatusView }) {
  return (
    <Layout
      frame={{ ...frame, current: 'status' }}
      title={view.title}
      head={
        <noscript>
          <meta http-equiv="refresh" content="5" />
        </noscript>
      }
    >
      <div data-status="/status/events" data-status-view="/status/view.json">
        <section class="verdict" data-level={view.level}>
          <span class="sign" aria-hidden="true" data-sign>
            {SIGNS[view.level]}
          </span>
          {/* Spoken when it changes. */}
          <div class="sentence" role="status">
            <h1 data-verdict="word">{view.verdict.word}</h1>
            <p data-verdict="text">{view.verdict.text}</p>
          </div>
          <p class="stamp">
            <span data-stale>as of</span> <Live view={view} name="at" />
          </p>
        </section>
        <Numbers view={view} />
        <Ranges view={view} />
        <div class="columns">
          <Behind view={view} />
          <Service view={view} />
        </div>
        {view.isFull && <Problems view={view} />}
        {view.isFull && <Servers view={view} />}
        {view.hasFullNodes && <FullNodes view={view} />}
        {view.isFull && <Database view={view} />}
      </div>
    </Layout>
  )
}

interface Part {
  readonly view: StatusView
}

const Live = ({ view, name }: Part & { readonly name: string }) => (
  <span data-live={name}>{view.texts[name]}</span>
)

interface NumberProps extends Part {
  readonly label: string
  readonly name: string
  readonly beside?: string
}

const Figure = ({ view, label, name, beside }: NumberProps) => (
  <div class="figure">
    <dt>{label}</dt>
    <dd>
      <b>
        <Live view={view} name={name} />
      </b>
      {beside !== undefined && (
        <small>
          <Live view={view} name={beside} />
        </small>
      )}
    </dd>
  </div>
)

const Numbers = ({ view }: Part) => (
  <section aria-label="Head">
    <dl class="figures">
      <Figure view={view} label="Indexed up to" name="newest" beside="age" />
      <Figure view={view} label="Network head" name="head" />
      <Figure view={view} label="Lag" name="lag" />
      <Figure view={view} label="Blocks missing" name="missing" />
      <Figure view={view} label="Time left" name="left" beside="rate" />
      <Figure view={view} label="Proved up to" name="proved" />
      <Figure view={view} label="In quarantine" name="quarantine" />
      <Figure view={view} label="Kept" name="watched" />
    </dl>
  </section>
)

const Ranges = ({ view }: Part) => (
  <section>
    <h2>Range</h2>
    <RangeBar parts={view.bar} />
    <p class="legend">
      <span>
        from <Live view={view} name="first" />
      </span>
      <span class="keys">
        <i class="key indexed" /> indexed <i class="key gap" /> missing <i class="key quarantined" />{' '}
        quarantined
      </span>
      <span>
        to <Live view={view} name="head" />
      </span>
    </p>
    <LiveTable
      caption="Ranges of masterchain blocks, newest first"
      name="ranges"
      view={view}
      columns={['From', 'To', 'Blocks', 'State']}
      numeric={[0, 1, 2]}
    />
  </section>
)

const RangeBar = ({ parts }: { readonly parts: readonly BarPart[] }) => (
  <svg
    class="range"
    viewBox={`0 0 ${BAR_WIDTH} 20`}
    preserveAspectRatio="none"
    role="img"
    aria-label="Indexed ranges; the table below says the same"
    data-bar
  >
    <rect class="wanted" x="0" y="0" width={BAR_WIDTH} height="20" />
    {parts.map((part) => (
      <rect key={`${part.kind}${part.x}`} class={part.kind} x={part.x} y="0" width={part.width} height="20" />
    ))}
  </svg>
)

interface Fact {
  readonly label: string
  readonly name: string
}

const Facts = ({ view, facts }: Part & { readonly facts: readonly Fact[] }) => (
  <dl class="facts">
    {facts.map(({ label, name }) => (
      <div key={name}>
        <dt>{label}</dt>
        <dd>
          <Live view={view} name={name} />
        </dd>
      </div>
    ))}
  </dl>
)

const Behind = ({ view }: Part) => (
  <Card title="Work behind the head">
    <Facts
      view={view}
      facts={[
        { label: 'Contracts to examine', name: 'contracts' },
        { label: 'Contracts without a known state', name: 'missingStates' },
        { label: 'Traces without actions yet', name: 'traces' },
        { label: 'Longest wait of a trace', name: 'tracesAge' },
        { label: 'Traces with basic actions only', name: 'failedTraces' },
        { label: 'Documents of tokens to fetch', name: 'metadata' },
      ]}
    />
  </Card>
)

const Service = ({ view }: Part) => (
  <Card title="Service">
    <Facts
      view={view}
      facts={[
        { label: 'Network', name: 'network' },
        { label: 'Profile of the API', name: 'profile' },
        { label: 'Version', name: 'version' },
        { label: 'API up for', name: 'uptime' },
        { label: 'Memory of the API', name: 'memory' },
        { label: 'Longest pause of its event loop', name: 'eventLoop' },
        { label: 'Requests', name: 'requests' },
        { label: 'Their median and p99', name: 'times' },
        { label: 'Newest block is of', name: 'newestTime' },
      ]}
    />
  </Card>
)

const Card = ({ title, children }: { readonly title: string; readonly children: ComponentChildren }) => (
  <section class="card">
    <h2>{title}</h2>
    {children}
  </section>
)

const Problems = ({ view }: Part) => (
  <section>
    <h2>In quarantine</h2>
    <LiveTable
      caption='What could not be decoded or stored; "shardwalk repair --quarantined" tries it again'
      name="problems"
      view={view}
      columns={['Kind', 'Count', 'Masterchain blocks', 'Reason']}
      numeric={[1]}
      isWide
    />
  </section>
)

const Servers = ({ view }: Part) => (
  <section>
    <h2>Lite servers</h2>
    <LiveTable
      caption="As the API sees them; errors are those of the API and of ingest in the last five minutes"
      name="servers"
      view={view}
      columns={['Server', 'State', 'Newest block', 'Latency', 'Archive', 'In flight', 'Errors', 'Problem']}
      numeric={[2, 3, 5]}
      isWide
      empty="No lite servers: blocks come from files, or the network is not known yet."
    />
  </section>
)

const FullNodes = ({ view }: Part) => (
  <section>
    <h2>
      Full nodes <small data-live="nodesTraffic">{view.texts['nodesTraffic']}</small>
    </h2>
    <p>
      <Live view={view} name="nodesTable" />; <Live view={view} name="nodesClock" />.
    </p>
    <LiveTable
      caption="Nodes by overlay, and broadcasts that arrived whole"
      name="overlays"
      view={view}
      columns={['Overlay', 'Asked', 'Asked last', 'Banned', 'Known', 'Broadcasts']}
      numeric={[1, 2, 3, 4, 5]}
      isWide
    />
    <LiveTable
      caption="Nodes that gave most: what they were asked, and how they answer"
      name="fullNodes"
      view={view}
      columns={[
        ...['Node', 'State', 'Overlays', 'Short', 'Blocks', 'Archive', 'Answered'],
        ...['Received', 'Rate', 'Mean time'],
      ]}
      numeric={[3, 4, 5, 6, 7, 8, 9]}
      isWide
    />
  </section>
)

const Database = ({ view }: Part) => (
  <section>
    <h2>
      Database <small data-live="size">{view.texts['size']}</small>
    </h2>
    <Disk text={view.texts['disk']} />
    <LiveTable
      caption="Largest tables; row counts are estimates"
      name="tables"
      view={view}
      columns={['Table', 'Rows', 'Data', 'Indexes']}
      numeric={[1, 2, 3]}
    />
  </section>
)

interface LiveTableProps extends Part {
  readonly caption: string
  readonly name: string
  readonly columns: readonly string[]
  readonly numeric: readonly number[]
  /** On a phone, a line per cell instead of a row. */
  readonly isWide?: boolean
  readonly empty?: string
}

/** Rows are replaced by the script, which takes classes and labels of cells from the header. */
function LiveTable({ caption, name, view, columns, numeric, isWide, empty = 'None.' }: LiveTableProps) {
  const rows = view.rows[name] ?? []
  return (
    <div class="scroll">
      <table class={isWide ? 'stack' : 'narrow'}>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column, index) => (
              <th key={column} scope="col" class={numeric.includes(index) ? 'num' : undefined}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody data-rows={name} data-empty={empty}>
          {rows.length === 0 && (
            <tr class="none">
              <td colSpan={columns.length}>{empty}</td>
            </tr>
          )}
          {rows.map((cells) => (
            <tr key={cells[0]}>
              {cells.map((cell, index) => (
                <td
                  key={columns[index]}
                  class={numeric.includes(index) ? 'num' : undefined}
                  data-label={columns[index]}
                >
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
