import type { Frame } from '../frame/frame.ts'
import { Layout } from '../frame/layout.tsx'

/** Something that a search found. */
export interface Found {
  readonly what: string
  readonly path: string
}

/** Several things of one hash. */
export const FoundPage = ({ frame, found }: { readonly frame: Frame; readonly found: readonly Found[] }) => (
  <Layout frame={frame} title="Search">
    <h1>Several things have this hash</h1>
    <ul>
      {found.map(({ what, path }) => (
        <li key={path}>
          <a href={path}>{what}</a>
        </li>
      ))}
    </ul>
  </Layout>
)
