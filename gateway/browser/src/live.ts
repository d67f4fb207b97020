import { pageOf } from './trusted.ts'

/** Between two reads of the page: a burst of events is one read. Longer than an answer of the gateway may be old, so that the read has the event in it. */
const settleMs = 1_500
/** All readers get an event in the same moment. They read within this time, most of them the same answer. */
const spreadMs = 1_000
/** Between reads where no stream of events is to be had. */
const pollMs = 15_000

/** Reads the page again when one of its events happens, and replaces what changed. @param renewed what new parts need */
export function followEvents(renewed: (within: ParentNode) => void): void {
  const parts = [...document.querySelectorAll<HTMLElement>('[data-live]')]
  if (parts.length === 0) return
  const queries = new Set(parts.map(part => part.dataset.live!))
  const refresh = debounced(() => replaceParts(renewed))
  const streams = [...queries].map(query => new EventSource(`/api/events?${query}`))
  let isPolling = false
  for (const stream of streams) {
    const types = new URL(stream.url).searchParams.get('type')?.split(',') ?? []
    for (const type of types) stream.addEventListener(type, refresh)
    stream.addEventListener('open', () => document.body.classList.add('is-live'))
    stream.addEventListener('error', () => {
      document.body.classList.remove('is-live')
      // the browser connects again by itself, unless the answer was no stream
      if (stream.readyState !== EventSource.CLOSED || isPolling) return
      isPolling = true
      setInterval(refresh, pollMs)
    })
  }
  // a page in the background needs no news; it reads them when it is seen again
  document.addEventListener('visibilitychange', () => !document.hidden && refresh())
}

async function replaceParts(renewed: (within: ParentNode) => void): Promise<void> {
  if (document.hidden) return
  // a request that forbids answers from memory would make the gateway build the page for each reader
  const response = await fetch(location.href)
  if (!response.ok) return
  const page = pageOf(await response.text())
  for (const part of document.querySelectorAll<HTMLElement>('[data-live][id]')) {
    const next = page.getElementById(part.id)
    if (!next || next.innerHTML === part.innerHTML || part.contains(document.activeElement)) continue
    const shown = new Set([...part.querySelectorAll('[data-key]')].map(entry => (entry as HTMLElement).dataset.key))
    const adopted = document.importNode(next, true)
    for (const entry of adopted.querySelectorAll<HTMLElement>('[data-key]')) if (!shown.has(entry.dataset.key)) entry.classList.add('fresh')
    part.replaceWith(adopted)
    renewed(adopted)
  }
}

function debounced(work: () => Promise<void>): () => void {
  let isDue = false
  return () => {
    if (isDue) return
    isDue = true
    setTimeout(
      () => {
        isDue = false
        // a read that fails is made good by the next one
        void work().catch(() => undefined)
      },
      settleMs + Math.random() * spreadMs,
    )
  }
}
