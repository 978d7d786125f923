/** What every page shows around its content. */
export interface Frame {
  /** The root of the service relative to the page: `./`, `../../`. */
  readonly root: string
  /** Addresses of the static files, which change with their content. */
  readonly assets: Assets
  /** Name of the network as people know it: `mainnet`, `testnet`, `sample`. */
  readonly network: string
  /** Newest indexed masterchain block; undefined: nothing is indexed, or the database does not answer. */
  readonly indexedTo?: number | undefined
  readonly version: string
  /** Whether addresses of the network have the test flag. */
  readonly testOnly: boolean
  /** Whether there are pages of blocks, accounts and the like. */
  readonly hasExplorer: boolean
  /** What the search box contains. */
  readonly query?: string | undefined
  /** Entry of the navigation that is the current page. */
  readonly current?: Section | undefined
}

/** Entries of the navigation. */
export type Section = 'status' | 'blocks' | 'docs' | 'console'

/** URLs of the static files. */
export interface Assets {
  readonly style: string
  readonly script: string
  /** Runs before the first paint. */
  readonly theme: string
  readonly icon: string
  /** Of the page of live events. */
  readonly events: string
}

/** Static files of the pages, in the folder `src/assets` of this package. */
export const ASSET_FILES = {
  style: { file: 'site.css', type: 'text/css; charset=utf-8' },
  script: { file: 'site.js', type: 'text/javascript; charset=utf-8' },
  theme: { file: 'theme.js', type: 'text/javascript; charset=utf-8' },
  icon: { file: 'icon.svg', type: 'image/svg+xml' },
  events: { file: 'events.js', type: 'text/javascript; charset=utf-8' },
  console: { file: 'console.js', type: 'text/javascript; charset=utf-8' },
} as const

/** The folder of `ASSET_FILES`. */
export const ASSET_FOLDER = new URL('../assets/', import.meta.url)

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
]

const COMMON_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
} as const

/**
 * Headers of every page. Inline scripts and styles, other hosts and all ways of turning text into HTML are
 * forbidden. `images`: origin of the image proxy.
 */
export const pageHeaders = (images?: string): Readonly<Record<string, string>> => ({
  ...COMMON_HEADERS,
  'Content-Security-Policy': [
    ...POLICY.map((part) => (images && part.startsWith('img-src') ? `${part} ${images}` : part)),
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
})

/** Of the style element that Swagger UI adds to a reply. */
const CONSOLE_STYLE = "'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='"

/** Swagger UI assigns HTML, and its icons are data URLs. */
export const CONSOLE_HEADERS: Readonly<Record<string, string>> = {
  ...COMMON_HEADERS,
  'Content-Security-Policy': POLICY.map((part) => {
    if (part.startsWith('img-src')) return `${part} data:`
    return part.startsWith('style-src') ? `${part} ${CONSOLE_STYLE}` : part
  }).join('; '),
}
