export { drawable } from './drawable.ts'
export { renderPng } from './render.ts'
export { shortened } from './shortened.ts'
