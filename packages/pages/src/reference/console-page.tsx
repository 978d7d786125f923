import type { Frame } from '../frame/frame.ts'
import { Layout } from '../frame/layout.tsx'

/** Files of Swagger UI, in the order in which they run. */
export interface ConsoleFiles {
  readonly scripts: readonly string[]
  readonly style: string
}

/** A console for trying calls; the key that is entered stays in the page. */
export const ConsolePage = ({ frame, files }: { readonly frame: Frame; readonly files: ConsoleFiles }) => (
  <Layout
    frame={{ ...frame, current: 'console' }}
    title="Console"
    head={
      <>
        <link rel="stylesheet" href={files.style} />
        {files.scripts.map((path) => (
          <script key={path} src={path} defer />
        ))}
      </>
    }
  >
    <h1>Console</h1>
    <noscript>
      <p class="notice">
        The console needs JavaScript. The <a href="/docs">reference</a> has the same calls.
      </p>
    </noscript>
    <div id="console" class="console" />
  </Layout>
)
