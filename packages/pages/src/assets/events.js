// Shows the events of a stream. A key that is entered stays in the memory of the page.

const MAX_SHOWN = 100
const place = document.querySelector('[data-events]')
if (place) begin()

function begin() {
  const form = place.querySelector('[data-events-form]')
  const button = place.querySelector('[data-events-button]')
  const list = place.querySelector('[data-events-list]')
  const state = place.querySelector('[data-events-state]')
  let stop
  let count = 0
  place.hidden = false

  const say = (text) => {
    state.textContent = text
  }
  const end = (text) => {
    stop?.abort()
    stop = undefined
    button.textContent = 'Follow'
    say(text)
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (stop) return end(`Stopped after ${count} events.`)
    const given = new FormData(form)
    list.replaceChildren()
    count = 0
    stop = new AbortController()
    button.textContent = 'Stop'
    say('Connecting…')
    const { signal } = stop
    follow(given, signal).then(
      () => signal.aborted || end(`The server ended the stream after ${count} events.`),
      (error) => signal.aborted || end(error.message),
    )
  })
  addEventListener('pagehide', () => stop?.abort())

  async function follow(given, signal) {
    const key = given.get('key').trim()
    const from = given.get('from').trim()
    const reply = await fetch(place.dataset.events, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(key && { 'X-API-Key': key }) },
      body: JSON.stringify({
        types: given.getAll('types'),
        addresses: given.get('addresses').split(/\s+/).filter(Boolean),
        ...(from && { resume_from: Number(from) }),
      }),
      signal,
    })
    if (!reply.ok) throw new Error((await reply.json().catch(() => ({}))).error ?? `Status ${reply.status}`)
    let text = ''
    for (const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader(); ; ) {
      const { done, value } = await reader.read()
      if (done) return
      text += value
      for (let at = text.indexOf('\n\n'); at >= 0; at = text.indexOf('\n\n')) {
        take(text.slice(0, at))
        text = text.slice(at + 2)
      }
    }
  }

  function take(frame) {
    const field = (name) =>
      frame
        .split('\n')
        .find((line) => line.startsWith(`${name}: `))
        ?.slice(name.length + 2)
    const data = field('data')
    if (data === undefined) return
    const value = JSON.parse(data)
    if (field('event') !== 'event') {
      say(value.error ?? 'Connected. Events appear as blocks are indexed.')
      return
    }
    count++
    say(`${count} events.`)
    list.prepend(entryOf(value))
    while (list.children.length > MAX_SHOWN) list.lastElementChild.remove()
  }
}

function entryOf(event) {
  const entry = document.createElement('li')
  const details = document.createElement('details')
  const summary = document.createElement('summary')
  const type = Object.assign(document.createElement('b'), { textContent: event.type })
  summary.append(type, ` ${summaryOf(event)}`)
  const text = Object.assign(document.createElement('pre'), { textContent: JSON.stringify(event, null, 2) })
  details.append(summary, text)
  entry.append(details)
  return entry
}

/** What a line can say of an event. */
function summaryOf(event) {
  const finality = event.finality ?? ''
  if (event.transactions && event.type === 'transactions') {
    const accounts = new Set(event.transactions.map(({ account }) => short(account)))
    return `${finality}: ${event.transactions.length} of ${[...accounts].join(', ')}`
  }
  if (event.type === 'actions') return `${finality}: ${event.actions.map(({ type }) => type).join(', ')}`
  if (event.state) return `${finality}: ${short(event.account)} has ${event.state.balance} nanotons`
  if (event.jetton) return `${finality}: ${short(event.jetton.owner)} has ${event.jetton.balance}`
  return finality
}

const short = (address) => `${address.slice(0, 8)}…${address.slice(-4)}`
