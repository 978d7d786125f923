import type { ComponentChildren } from 'preact'
import type { Frame } from '../frame/frame.ts'
import { Layout } from '../frame/layout.tsx'
import { type Description, type Endpoint, endpointsOf, type Parameter, typeInWords } from './description.ts'

/** `/docs/GET/api/v3/blocks`. */
const endpointPath = ({ method, path }: Pick<Endpoint, 'method' | 'path'>): string =>
  `/docs/${method.toUpperCase()}${path}`

/** The endpoint of a path of `endpointPath`. */
export const endpointOf = (descriptions: readonly Description[], path: string): Endpoint | undefined =>
  descriptions.flatMap(endpointsOf).find((endpoint) => endpointPath(endpoint) === path)

/** Where there are streams. */
const STREAM = '/api/streaming/v2/sse'

/** All endpoints by group, with a filter for those who have JavaScript. */
export function ReferencePage({
  frame,
  descriptions,
}: {
  readonly frame: Frame
  readonly descriptions: readonly Description[]
}) {
  return (
    <Layout frame={{ ...frame, current: 'docs' }} title="API reference">
      <h1>API reference</h1>
      {descriptions.some(({ paths }) => paths[STREAM]) && (
        <p>
          <a href="/docs/streaming">Live events</a> shows what streams send. The frames are described by{' '}
          <a href="/api/streaming/asyncapi.json">an AsyncAPI document</a>.
        </p>
      )}
      <div hidden>
        <input
          type="search"
          class="filter"
          placeholder="Filter: a path, a parameter, a word"
          aria-label="Filter endpoints"
          data-filter
        />
      </div>
      {descriptions.map((description) => (
        <Interface key={description.info.title} description={description} />
      ))}
    </Layout>
  )
}

function Interface({ description }: { readonly description: Description }) {
  const endpoints = endpointsOf(description)
  const groups = [...new Set(endpoints.map(({ operation }) => operation.tags[0] ?? ''))]
  return (
    <section>
      <h2>{description.info.title}</h2>
      <p class="soft">{description.info.description}</p>
      {groups.map((group) => (
        <div key={group} class="card group" data-group>
          <h3>{group}</h3>
          <ul class="endpoints">
            {endpoints
              .filter(({ operation }) => (operation.tags[0] ?? '') === group)
              .map((endpoint) => (
                <Entry key={`${endpoint.method}${endpoint.path}`} endpoint={endpoint} />
              ))}
          </ul>
        </div>
      ))}
    </section>
  )
}

function Entry({ endpoint }: { readonly endpoint: Endpoint }) {
  const { method, path, operation } = endpoint
  const names = [...(operation.parameters ?? []), ...(operation['x-fields'] ?? [])].map(({ name }) => name)
  return (
    <li data-words={[method, path, operation.summary, ...names].join(' ').toLowerCase()}>
      <a href={endpointPath(endpoint)}>
        <code>
          <b>{method.toUpperCase()}</b> {path}
        </code>
      </a>{' '}
      <span class="soft">{operation.summary}</span>
      {operation.deprecated && <span class="label">deprecated</span>}
    </li>
  )
}

/** Paragraphs whose words between backticks are code. */
export const Prose = ({ text }: { readonly text: string }) => (
  <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code key={part}>{part}</code> : part))}</>
)

/** A table of parameters: name, type, whether required, meaning. */
export const ParameterTable = ({
  caption,
  parameters,
}: {
  readonly caption: string
  readonly parameters: readonly Parameter[]
}) => (
  <div class="scroll">
    <table class="stack">
      <caption>{caption}</caption>
      <thead>
        <tr>
          {['Name', 'Type', 'Default', 'Meaning'].map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {parameters.map(({ name, required, schema, description }) => (
          <tr key={name}>
            <Cell label="Name">
              <code>{name}</code> {required && <span class="label">required</span>}
            </Cell>
            <Cell label="Type">{typeInWords(schema)}</Cell>
            <Cell label="Default">{schema.default === undefined ? '' : String(schema.default)}</Cell>
            <Cell label="Meaning">
              <Prose text={description} />
              {schema.maxItems !== undefined && ` At most ${schema.maxItems} values.`}
            </Cell>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

const Cell = ({ label, children }: { readonly label: string; readonly children: ComponentChildren }) => (
  <td data-label={label}>
    <div>{children}</div>
  </td>
)
