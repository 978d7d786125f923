import type { Frame } from '../frame/frame.ts'
import { Layout } from '../frame/layout.tsx'
import { friendlyOf } from '../frame/paths.ts'

/** What the form of the page begins with. */
export interface EventsView {
  /** Where this server is reached, for examples. */
  readonly base: string
  /** Raw addresses that are filled in. */
  readonly accounts: readonly string[]
  /** Masterchain block after which the events begin; undefined: nothing is indexed. */
  readonly from: number | undefined
}

const TYPES = ['transactions', 'actions', 'account_state_change', 'jettons_change'] as const

/** What a stream sends, shown by a script as it comes. Without one, it says how to see it in a shell. */
export function EventsPage({ frame, view }: { readonly frame: Frame; readonly view: EventsView }) {
  const accounts = view.accounts.map((raw) => friendlyOf(raw, frame))
  return (
    <Layout
      frame={{ ...frame, current: 'docs' }}
      title="Live events"
      head={<script src={frame.assets.events} type="module" />}
    >
      <h1>Live events</h1>
      <p>
        What the <a href="/docs/POST/api/streaming/v2/sse">streaming API</a> sends of these accounts. The
        events are described by <a href="/api/streaming/asyncapi.json">an AsyncAPI document</a>.
      </p>
      <section>
        <h2>In a shell</h2>
        <pre>
          <code data-base={view.base}>{curlText(view, accounts)}</code>
        </pre>
      </section>
      <noscript>
        <p class="notice">This page shows events with JavaScript. The command above shows them without.</p>
      </noscript>
      <section data-events="/api/streaming/v2/sse" hidden>
        <h2>Here</h2>
        <EventsForm from={view.from} accounts={accounts} />
        <p role="status" data-events-state>
          Not connected.
        </p>
        <ol class="events" data-events-list />
      </section>
    </Layout>
  )
}

function EventsForm({ from, accounts }: Pick<EventsView, 'from' | 'accounts'>) {
  return (
    <form class="events-form" data-events-form>
      <label>
        Accounts, one a line
        <textarea name="addresses" rows={Math.max(2, accounts.length)} spellcheck={false} required>
          {accounts.join('\n')}
        </textarea>
      </label>
      <fieldset>
        <legend>Types</legend>
        {TYPES.map((type) => (
          <label key={type}>
            <input type="checkbox" name="types" value={type} checked /> <code>{type}</code>
          </label>
        ))}
      </fieldset>
      <label>
        After masterchain block
        <input name="from" inputMode="numeric" pattern="[0-9]*" value={from ?? ''} />
      </label>
      <label>
        API key, if this server wants one
        <input name="key" autocomplete="off" spellcheck={false} />
      </label>
      <button type="submit" data-events-button>
        Follow
      </button>
    </form>
  )
}

function curlText({ base, from }: EventsView, accounts: readonly string[]): string {
  const body = {
    types: ['transactions', 'actions'],
    addresses: accounts.length > 0 ? accounts : ['an address'],
    ...(from !== undefined && { resume_from: from }),
  }
  const lines = [
    `curl -N ${base}/api/streaming/v2/sse \\`,
    "  -H 'Content-Type: application/json' \\",
    `  -d '${JSON.stringify(body)}'`,
  ]
  return lines.join('\n')
}
