import type { Frame } from '../frame/frame.ts'
import { Layout } from '../frame/layout.tsx'
import { curlOf, type Description, type Endpoint, fieldsOf, schemasIn, typeInWords } from './description.ts'
import { ParameterTable, Prose } from './reference-page.tsx'

interface Props {
  readonly frame: Frame
  readonly endpoint: Endpoint
  /** Where this server is reached. */
  readonly base: string
}

/** Parameters, an example request, and replies of an endpoint. */
export function EndpointPage({ frame, endpoint, base }: Props) {
  const { method, path, operation, description } = endpoint
  const fields = operation['x-fields']
  const parameters = operation.parameters ?? []
  const reply = Object.values(operation.responses['200']?.content ?? {})[0]?.schema
  return (
    <Layout frame={{ ...frame, current: 'docs' }} title={operation.summary}>
      <h1>
        {operation.summary}
        {operation.deprecated && <span class="label">deprecated</span>}
      </h1>
      <p>
        <code>
          <b>{method.toUpperCase()}</b> {path}
        </code>
      </p>
      <p>
        <Prose text={operation.description} />
      </p>
      <Example endpoint={endpoint} base={base} />
      {fields && <ParameterTable caption="Fields of the JSON body" parameters={fields} />}
      {parameters.length > 0 && <ParameterTable caption="Parameters" parameters={parameters} />}
      <section>
        <h2>Reply</h2>
        <p>
          <Prose text={operation.responses['200']?.description ?? ''} />
          {reply && ` ${typeInWords(reply)}.`}
        </p>
        {schemasIn(description.components, reply).map((name) => (
          <SchemaTable key={name} name={name} components={description.components} />
        ))}
      </section>
      <Errors operation={operation} />
    </Layout>
  )
}

/** A request that can be copied; a script puts in the address that the reader uses. */
function Example({ endpoint, base }: Omit<Props, 'frame'>) {
  const curl = curlOf(endpoint, base)
  return (
    <section>
      <h2>
        Example{' '}
        <button
          type="button"
          class="copy"
          data-copy={curl}
          data-base={base}
          aria-label="Copy the example"
          hidden
        >
          copy
        </button>
      </h2>
      <pre data-base={base}>{curl}</pre>
    </section>
  )
}

function Errors({ operation }: Pick<Endpoint, 'operation'>) {
  const errors = Object.entries(operation.responses).filter(([status]) => status !== '200')
  return (
    <section class="card">
      <h2>Errors</h2>
      <dl class="facts">
        {errors.map(([status, { description: meaning }]) => (
          <div key={status}>
            <dt>{status}</dt>
            <dd>
              <Prose text={meaning} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

/** Larger schemas are unfolded by those who want them. */
const MAX_OPEN_FIELDS = 12

interface SchemaTableProps {
  readonly name: string
  readonly components: Description['components']
}

function SchemaTable({ name, components }: SchemaTableProps) {
  const schema = components.schemas[name]!
  const fields = fieldsOf(schema, components)
  const extended = schema['x-extends'] && `, and those of ${schema['x-extends']}`
  return (
    <details class="schema" open={fields.length <= MAX_OPEN_FIELDS}>
      <summary>
        <code>{name}</code>{' '}
        <small>
          {fields.length > 0 ? `${fields.length} fields` : typeInWords(schema)}
          {extended}
        </small>
      </summary>
      <dl class="facts">
        {fields.map(([field, one]) => (
          <div key={field}>
            <dt>
              <code>{field}</code>
            </dt>
            <dd>
              {typeInWords(one)} {one.description && <small>{one.description}</small>}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
