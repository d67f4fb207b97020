import { createHash } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import { recent } from './recent.ts'
import type { Answer, Order } from './worker.ts'

export interface RenderOptions {
  /** Width of the picture in pixels; the height follows from the SVG. */
  width: number
}

/** Pictures are 20 to 150 kB. */
const cache = recent<Promise<Buffer>>(200)
const waiting = new Map<number, { resolve(png: Buffer): void; reject(error: Error): void }>()
let worker: Worker | undefined
let count = 0

/**
 * Draws an SVG as PNG, in a worker thread, because drawing blocks a thread for tens of milliseconds. Text is set in Inter
 * (400 and 700), which is included. Characters that it lacks are left out; fonts of the machine and files named in the SVG are not used. The same
 * SVG is drawn once.
 * @throws Error when it is not a valid SVG
 * @example await renderPng('<svg xmlns="http://www.w3.org/2000/svg" width="600" height="315"/>', { width: 1200 })
 */
export function renderPng(svg: string, options: RenderOptions): Promise<Buffer> {
  const key = createHash('sha256').update(`${options.width}\n${svg}`).digest('base64url')
  const cached = cache.get(key)
  if (cached !== undefined) return cached
  const drawn = draw({ id: ++count, svg, width: options.width })
  cache.set(key, drawn)
  drawn.catch(() => cache.delete(key))
  return drawn
}

function draw(order: Order): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const running = worker ?? start()
    waiting.set(order.id, { resolve, reject })
    // a process stays alive for a requested picture, and only for that
    running.ref()
    running.postMessage(order)
  })
}

function start(): Worker {
  const started = new Worker(new URL('./worker.js', import.meta.url))
  started.on('message', (answer: Answer) => {
    const pending = waiting.get(answer.id)
    waiting.delete(answer.id)
    if (waiting.size === 0) started.unref()
    if ('png' in answer) pending?.resolve(Buffer.from(answer.png))
    else pending?.reject(new Error(`the picture could not be drawn: ${answer.error}`))
  })
  started.on('error', error => {
    if (worker === started) worker = undefined
    for (const { reject } of waiting.values()) reject(error instanceof Error ? error : new Error(String(error)))
    waiting.clear()
  })
  worker = started
  return started
}
