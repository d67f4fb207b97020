export { drawable } from './drawable.ts'
export { type RenderOptions, renderPng } from './render.ts'
export { shortened } from './shortened.ts'
