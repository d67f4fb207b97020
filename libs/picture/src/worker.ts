import { createRequire } from 'node:module'
import path from 'node:path'
import { parentPort } from 'node:worker_threads'
import { Resvg } from '@resvg/resvg-js'

export interface Order {
  id: number
  svg: string
  width: number
}
export type Answer = { id: number; png: Uint8Array } | { id: number; error: string }

const folder = path.dirname(createRequire(import.meta.url).resolve('@expo-google-fonts/inter/package.json'))
const font = {
  loadSystemFonts: false,
  fontFiles: ['400Regular', '700Bold'].map(style => path.join(folder, style, `Inter_${style}.ttf`)),
  defaultFontFamily: 'Inter',
}

parentPort?.on('message', ({ id, svg, width }: Order) => {
  parentPort?.postMessage(answerTo(id, svg, width))
})

function answerTo(id: number, svg: string, width: number): Answer {
  try {
    return { id, png: new Resvg(svg, { font, fitTo: { mode: 'width', value: width } }).render().asPng() }
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) }
  }
}
