import { BarChart, CustomChart, LineChart } from 'echarts/charts'
import { GridComponent, TitleComponent } from 'echarts/components'
import * as echarts from 'echarts/core'
import { SVGRenderer } from 'echarts/renderers'
import type { EngineResults } from '../measure.ts'
import { SIZES } from '../scenarios/compared.ts'
import type { Results } from './results.ts'

echarts.use([BarChart, CustomChart, GridComponent, LineChart, SVGRenderer, TitleComponent])

const SIZE = { width: 1_200, row: 34, frame: 150, least: 420 }
const BARS = { left: 190, right: 660 }
const LINES = { left: 700, right: 190 }
const TOP = 92
const BOTTOM = 54

const INK = '#1f2933'
const FAINT = '#7b8794'
const GRID = '#e4e7eb'
const REACHED = '#2a7f86'
const MISSED = '#d1793a'
/** Distinct for most eyes, in order; told apart by the names at the ends as well. */
const HUES = [
  '#2a7f86', '#d1793a', '#5b6bb5', '#a34d7c', '#6a8f3c', '#c2a028',
  '#3f8fd0', '#8c6246', '#b0413e', '#4f9f76', '#7d5fb0', '#5f6c7b', '#cf6aa0',
] // biome-ignore format: one list

/** The ratio that the bars show. */
const MIDDLE = SIZES[1]
const ratioOf = (engine: EngineResults) => engine.append.at[MIDDLE]?.ratio

/** Two panels, as the text of an SVG: what an append costs beside the bare client, and how it stays flat. */
export function chart({ engines }: Results): string {
  const height = Math.max(SIZE.least, SIZE.frame + engines.length * SIZE.row)
  const picture = echarts.init(null, null, {
    renderer: 'svg',
    ssr: true,
    width: SIZE.width,
    height,
  })
  try {
    picture.setOption({
      animation: false,
      backgroundColor: '#ffffff',
      textStyle: { fontFamily: 'system-ui, sans-serif', color: INK },
      title: titles(),
      grid: [
        { left: BARS.left, right: BARS.right, top: TOP, bottom: BOTTOM },
        { left: LINES.left, right: LINES.right, top: TOP, bottom: BOTTOM },
      ],
      xAxis: [ratioAxis(engines), itemsAxis()],
      yAxis: [nameAxis(engines), costAxis()],
      series: [...bars(engines), ...lines(engines)],
    })
    return `${picture.renderToSVGString()}\n`
  } finally {
    picture.dispose()
  }
}

function titles() {
  const style = {
    textStyle: { fontSize: 17, fontWeight: 600, color: INK },
    subtextStyle: { fontSize: 12.5, color: FAINT },
    top: 16,
  }
  return [
    {
      ...style,
      left: 20,
      text: 'An append, times the bare client',
      subtext: `${MIDDLE.toLocaleString('en')} items before it · whisker: half of the rounds · mark: the goal; orange: above it`,
    },
    {
      ...style,
      left: LINES.left - 46,
      text: 'What an append costs while a session grows',
      subtext: 'µs, logarithmic',
    },
  ]
}

const axisStyle = {
  axisLabel: { color: FAINT, fontSize: 12 },
  axisLine: { lineStyle: { color: FAINT } },
  splitLine: { lineStyle: { color: GRID } },
}

function ratioAxis(engines: readonly EngineResults[]) {
  const highest = Math.max(2, ...engines.map((engine) => ratioOf(engine)?.high ?? 0))
  return {
    ...axisStyle,
    type: 'value',
    gridIndex: 0,
    min: 0,
    max: Math.ceil(highest * 2 + 0.3) / 2,
    axisLabel: { ...axisStyle.axisLabel, formatter: '{value} ×' },
  }
}

const nameAxis = (engines: readonly EngineResults[]) => ({
  type: 'category',
  gridIndex: 0,
  inverse: true,
  data: engines.map(({ name }) => name),
  axisTick: { show: false },
  axisLine: { lineStyle: { color: FAINT } },
  axisLabel: { color: INK, fontSize: 13 },
})

const itemsAxis = () => ({
  ...axisStyle,
  type: 'log',
  gridIndex: 1,
  min: SIZES[0],
  max: SIZES[2],
  axisLabel: {
    ...axisStyle.axisLabel,
    formatter: (items: number) =>
      `${items.toLocaleString('en')}${items === SIZES[2] ? ' items' : ''}`,
  },
})

const costAxis = () => ({
  ...axisStyle,
  type: 'log',
  gridIndex: 1,
  axisLabel: {
    ...axisStyle.axisLabel,
    formatter: (us: number) => us.toLocaleString('en'),
  },
})

function bars(engines: readonly EngineResults[]) {
  const place = { xAxisIndex: 0, yAxisIndex: 0 }
  return [
    {
      ...place,
      type: 'bar',
      barWidth: 16,
      data: engines.map((engine) => {
        const value = ratioOf(engine)?.median ?? 0
        const color = value <= engine.goals.append ? REACHED : MISSED
        return { value, itemStyle: { color, borderRadius: [0, 3, 3, 0] } }
      }),
    },
    {
      ...place,
      type: 'custom',
      data: engines.map((engine, row) => {
        const { median = 0, low = 0, high = 0 } = ratioOf(engine) ?? {}
        return [median, row, low, high, engine.goals.append]
      }),
      encode: { x: [0, 2, 3, 4], y: 1 },
      renderItem: marks,
    },
  ]
}

interface Place {
  value(dimension: number): number
  coord(point: [number, number]): [number, number]
}

/** Whisker, goal and figure of one bar. */
function marks(_: unknown, { value, coord }: Place) {
  const x = (dimension: number) => coord([value(dimension), value(1)])[0]
  const y = coord([0, value(1)])[1]
  const line = (x1: number, y1: number, x2: number, y2: number, width: number) => ({
    type: 'line',
    shape: { x1, y1, x2, y2 },
    style: { stroke: INK, lineWidth: width },
  })
  return {
    type: 'group',
    children: [
      line(x(2), y, x(3), y, 1),
      line(x(4), y - 12, x(4), y + 12, 2.5),
      {
        type: 'text',
        x: Math.max(x(3), x(4)) + 8,
        y,
        style: {
          text: `${value(0).toFixed(2)} ×`,
          fill: INK,
          fontSize: 12.5,
          fontWeight: 600,
          verticalAlign: 'middle',
        },
      },
    ],
  }
}

function lines(engines: readonly EngineResults[]) {
  const place = { xAxisIndex: 1, yAxisIndex: 1 }
  return engines.map(({ name, append }, at) => {
    const color = HUES[at % HUES.length]
    return {
      ...place,
      type: 'line',
      name,
      data: SIZES.map((size) => [size, append.at[size]?.ours.median ?? null]),
      symbol: 'circle',
      symbolSize: 6,
      lineStyle: { color, width: 2.5 },
      itemStyle: { color },
      endLabel: { show: true, formatter: '{a}', color, fontSize: 12.5, distance: 8 },
      labelLayout: { moveOverlap: 'shiftY' },
    }
  })
}
