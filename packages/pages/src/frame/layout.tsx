import type { ComponentChildren } from 'preact'
import type { Frame, Section } from './frame.ts'
import { blockPath, OF_MASTERCHAIN } from './paths.ts'

interface LayoutProps {
  readonly frame: Frame
  readonly title: string
  /** Further elements of the head. */
  readonly head?: ComponentChildren
  /** Uses the whole width of the window. */
  readonly wide?: boolean
  readonly children: ComponentChildren
}

const SECTIONS: readonly { readonly id: Section; readonly path: string; readonly text: string }[] = [
  { id: 'status', path: '/', text: 'Status' },
  { id: 'blocks', path: '/blocks', text: 'Blocks' },
  { id: 'docs', path: '/docs', text: 'API' },
  { id: 'console', path: '/docs/console', text: 'Console' },
]

/** A whole document. */
export function Layout({ frame, title, head, children }: LayoutProps) {
  const { assets } = frame
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · Shardwalk`}</title>
        <link rel="icon" href={assets.icon} />
        <link rel="stylesheet" href={assets.style} />
        <script src={assets.theme} />
        <script src={assets.script} type="module" />
        {head}
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to the content
        </a>
        <Header frame={frame} />
        <main id="content">{children}</main>
        <Footer frame={frame} />
      </body>
    </html>
  )
}

function Header({ frame }: { readonly frame: Frame }) {
  return (
    <header class="top">
      <div class="bar">
        <a class="brand" href="/">
          <Mark />
          Shardwalk
        </a>
        <span class="net">{frame.network}</span>
        {frame.hasExplorer && <Search query={frame.query} />}
        <nav aria-label="Pages">
          {SECTIONS.filter(({ id }) => id !== 'blocks' || frame.hasExplorer).map(({ id, path, text }) => (
            <a key={id} href={path} aria-current={frame.current === id ? 'page' : undefined}>
              {text}
            </a>
          ))}
        </nav>
        <button
          type="button"
          class="theme"
          data-theme-switch
          hidden
          aria-label="Switch between light and dark"
        >
          ◐
        </button>
      </div>
    </header>
  )
}

const Search = ({ query }: { readonly query: string | undefined }) => (
  <search>
    <form class="search" action="/search">
      <input
        type="search"
        name="q"
        value={query ?? ''}
        maxLength={1000}
        placeholder="Address, hash, block or domain"
        aria-label="Search for an address, hash, block or domain"
        autocomplete="off"
        spellcheck={false}
        data-search
      />
      <button type="submit">Search</button>
    </form>
  </search>
)

const MARK_TOP = 'M1 2h14v3H1zM1 6.5h6.5v3H1zM8.5 6.5H15v3H8.5z'

/** Three shards of a block. */
const Mark = () => (
  <svg class="mark" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
    <path d={`${MARK_TOP}M1 11h2.75v3H1zM4.75 11H7.5v3H4.75zM8.5 11H15v3H8.5z`} />
  </svg>
)

function Footer({ frame }: { readonly frame: Frame }) {
  return (
    <footer class="foot">
      <span>
        {frame.indexedTo === undefined ? (
          'Nothing is indexed yet'
        ) : (
          <>
            Indexed up to block <BlockOfMasterchain frame={frame} seqno={frame.indexedTo} />
          </>
        )}
      </span>
      <span>Shardwalk {frame.version}</span>
      <a href="/docs">API reference</a>
      <a href="/status.json">status.json</a>
    </footer>
  )
}

function BlockOfMasterchain({ frame, seqno }: { readonly frame: Frame; readonly seqno: number }) {
  const text = seqno.toLocaleString('en-US')
  if (!frame.hasExplorer) return <>{text}</>
  return <a href={blockPath({ ...OF_MASTERCHAIN, seqno })}>{text}</a>
}
