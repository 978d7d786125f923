// What pages do in a browser beyond HTML. Everything works without it.

const root = document.documentElement

// Theme: that of the system until somebody chooses.
const themeSwitch = document.querySelector('[data-theme-switch]')
if (themeSwitch) {
  themeSwitch.hidden = false
  themeSwitch.addEventListener('click', () => {
    const isDark = root.dataset.theme
      ? root.dataset.theme === 'dark'
      : matchMedia('(prefers-color-scheme: dark)').matches
    root.dataset.theme = isDark ? 'light' : 'dark'
    try {
      localStorage.setItem('theme', root.dataset.theme)
    } catch {
      // It lasts until the next page then.
    }
  })
}

// `/` goes to the search box.
addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select')
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
  const search = document.querySelector('[data-search]')
  if (!search) return
  event.preventDefault()
  search.focus()
  search.select()
})

// Examples: with the address at which the browser reaches this service. Behind a proxy it may not know it.
const reached = new URL('..', import.meta.url).href.slice(0, -1)
for (const place of document.querySelectorAll('[data-base]')) {
  const here = (text) => text.replaceAll(place.dataset.base, reached)
  if (place.dataset.copy === undefined) place.textContent = here(place.textContent)
  else place.dataset.copy = here(place.dataset.copy)
}

// Copying.
for (const button of document.querySelectorAll('[data-copy]')) {
  button.hidden = false
  button.addEventListener('click', async () => {
    const before = button.textContent
    try {
      await navigator.clipboard.writeText(button.dataset.copy)
      button.textContent = '✓'
    } catch {
      button.textContent = '✗'
    }
    setTimeout(() => {
      button.textContent = before
    }, 1200)
  })
}

// Times: how long ago, when pointed at.
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
]
for (const time of document.querySelectorAll('time[datetime]')) {
  const seconds = (Date.parse(time.dateTime) - Date.now()) / 1000
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? UNITS.at(-1)
  const ago = relative.format(Math.round(seconds / size), unit)
  time.title = `${ago}, ${new Date(time.dateTime).toLocaleString()}`
}

// Filter of the reference.
const filter = document.querySelector('[data-filter]')
if (filter) {
  filter.closest('[hidden]')?.removeAttribute('hidden')
  filter.addEventListener('input', () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean)
    for (const entry of document.querySelectorAll('[data-words]'))
      entry.hidden = !words.every((word) => entry.dataset.words.includes(word))
    for (const group of document.querySelectorAll('[data-group]'))
      group.hidden = !group.querySelector('[data-words]:not([hidden])')
  })
}

// Status: rendered by the server as texts, replaced as they change.
const status = document.querySelector('[data-status]')
if (status) watchStatus()

function watchStatus() {
  const STALE_MS = 10_000
  const POLL_MS = 5000
  let source
  let errors = 0
  let poll
  let seenAt = Date.now()
  const open = () => {
    close()
    if (document.hidden) return
    if (errors >= 2) {
      poll = setInterval(ask, POLL_MS)
      void ask()
      return
    }
    source = new EventSource(status.dataset.status)
    source.addEventListener('status', (event) => {
      errors = 0
      show(JSON.parse(event.data))
    })
    source.addEventListener('alive', alive)
    source.addEventListener('error', () => {
      errors++
      if (errors >= 2 || source.readyState === EventSource.CLOSED) setTimeout(open, 1000)
    })
  }
  const close = () => {
    source?.close()
    source = undefined
    clearInterval(poll)
  }
  const ask = async () => {
    try {
      const reply = await fetch(status.dataset.statusView, { headers: { Accept: 'application/json' } })
      if (reply.ok) show(await reply.json())
    } catch {
      // The values become stale.
    }
  }
  const alive = () => {
    seenAt = Date.now()
    status.dataset.stale = 'false'
  }
  const show = (view) => {
    alive()
    showStatus(view)
  }
  // A browser has six connections per host: a tab that nobody sees keeps none.
  document.addEventListener('visibilitychange', () => (document.hidden ? close() : open()))
  addEventListener('pagehide', close)
  addEventListener('pageshow', (event) => event.persisted && open())
  setInterval(() => {
    if (!document.hidden && Date.now() - seenAt > STALE_MS) status.dataset.stale = 'true'
  }, 1000)
  open()
}

function showStatus(view) {
  document.title = `${view.title} · Shardwalk`
  const verdict = status.querySelector('.verdict')
  verdict.dataset.level = view.level
  setText(status.querySelector('[data-sign]'), { good: '✓', busy: '…', bad: '!' }[view.level])
  for (const part of ['word', 'text'])
    setText(status.querySelector(`[data-verdict=${part}]`), view.verdict[part])
  for (const place of status.querySelectorAll('[data-live]'))
    setText(place, view.texts[place.dataset.live] ?? '')
  for (const body of status.querySelectorAll('[data-rows]'))
    showRows(body, view.rows[body.dataset.rows] ?? [])
  showBar(status.querySelector('[data-bar]'), view.bar)
}

/** Screen readers read only what changed. */
function setText(place, text) {
  if (place && place.textContent !== text) place.textContent = text
}

function showRows(body, rows) {
  const key = JSON.stringify(rows)
  if (body.dataset.key === key) return
  body.dataset.key = key
  const heads = [...body.closest('table').querySelectorAll('thead th')]
  if (rows.length === 0) {
    const cell = Object.assign(document.createElement('td'), {
      textContent: body.dataset.empty,
      colSpan: heads.length,
    })
    const row = Object.assign(document.createElement('tr'), { className: 'none' })
    row.append(cell)
    body.replaceChildren(row)
    return
  }
  body.replaceChildren(
    ...rows.map((cells) => {
      const row = document.createElement('tr')
      row.append(
        ...cells.map((text, index) => {
          const cell = document.createElement('td')
          cell.textContent = text
          cell.className = heads[index]?.className ?? ''
          cell.dataset.label = heads[index]?.textContent ?? ''
          return cell
        }),
      )
      return row
    }),
  )
}

function showBar(bar, parts) {
  const key = JSON.stringify(parts)
  if (!bar || bar.dataset.key === key) return
  bar.dataset.key = key
  const drawn = parts.map(({ kind, x, width }) => {
    const rect = document.createElementNS('http://www.w3.org/2000/svg', 'rect')
    for (const [name, value] of Object.entries({ class: kind, x, y: 0, width, height: 20 }))
      rect.setAttribute(name, value)
    return rect
  })
  bar.replaceChildren(bar.firstElementChild, ...drawn)
}
