/** Grafana dashboards as data: what a panel shows; the rest of Grafana's format is the same for all. */

const PROMETHEUS = { type: 'prometheus', uid: 'shardwalk-prometheus' } as const
const POSTGRES = { type: 'grafana-postgresql-datasource', uid: 'shardwalk-postgres' } as const

export interface Panel {
  readonly title: string
  /** How to read it, or what to do. */
  readonly help?: string
  /** Unit of Grafana: `s`, `bytes`, `reqps`, `short`, `percentunit`. */
  readonly unit?: string
  /** `line`: over time; `number`: the newest value; `table`. */
  readonly as?: 'line' | 'number' | 'table'
  /** Of 24 columns. Default: 12; a number 4. */
  readonly width?: number
  /** PromQL by legend. A legend may name labels: `{{server}}`. */
  readonly metrics?: Readonly<Record<string, string>>
  /** SQL of the role `shardwalk_analyst`. Over time: a column `time` and a column per line. */
  readonly sql?: string
}

export interface Section {
  readonly title: string
  readonly panels: readonly Panel[]
}

interface Dashboard {
  readonly uid: string
  readonly title: string
  readonly description: string
  /** What is shown at first, e.g. `now-6h`. */
  readonly from: string
  readonly refresh: string
  readonly sections: readonly Section[]
}

const COLUMNS = 24
const HEIGHTS = { line: 8, table: 9, number: 4 } as const
const TYPES = { line: 'timeseries', table: 'table', number: 'stat' } as const

/** The dashboard in Grafana's format. */
export function dashboardJson({ uid, title, description, from, refresh, sections }: Dashboard): object {
  const panels: object[] = []
  let y = 0
  for (const section of sections) {
    panels.push({
      id: panels.length + 1,
      type: 'row',
      title: section.title,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y: y++, w: COLUMNS, h: 1 },
    })
    let [x, rowHeight] = [0, 0]
    for (const panel of section.panels) {
      const as = panel.as ?? 'line'
      const w = panel.width ?? (as === 'number' ? 4 : 12)
      if (x + w > COLUMNS) [x, y, rowHeight] = [0, y + rowHeight, 0]
      rowHeight = Math.max(rowHeight, HEIGHTS[as])
      panels.push(panelJson(panel, { id: panels.length + 1, gridPos: { x, y, w, h: HEIGHTS[as] } }))
      x += w
    }
    y += rowHeight
  }
  return {
    uid,
    title,
    description,
    tags: ['shardwalk'],
    editable: true,
    graphTooltip: 1,
    schemaVersion: 39,
    time: { from, to: 'now' },
    timezone: 'utc',
    refresh,
    version: 1,
    annotations: { list: [] },
    templating: { list: [] },
    links: [],
    panels,
  }
}

function panelJson({ title, help, unit, as = 'line', metrics, sql }: Panel, place: object): object {
  const format = as === 'line' ? 'time_series' : 'table'
  const targets = sql
    ? [{ refId: 'A', datasource: POSTGRES, editorMode: 'code', format, rawQuery: true, rawSql: sql }]
    : Object.entries(metrics ?? {}).map(([legendFormat, expr], index) => ({
        refId: String.fromCharCode(65 + index),
        datasource: PROMETHEUS,
        editorMode: 'code',
        expr,
        legendFormat,
        range: as === 'line',
        instant: as !== 'line',
      }))
  return {
    type: TYPES[as],
    title,
    ...(help && { description: help }),
    ...place,
    datasource: sql ? POSTGRES : PROMETHEUS,
    fieldConfig: { defaults: { unit: unit ?? 'short', min: as === 'line' ? 0 : undefined }, overrides: [] },
    options: OPTIONS[as],
    targets,
  }
}

const OPTIONS = {
  line: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
  table: { showHeader: true },
  number: { reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false }, colorMode: 'none' },
} as const
