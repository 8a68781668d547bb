// The ways of movers on the graphics card: wedges from the first to the last frame, thin where a text came from.

const TRAIL_VERTEX = `#version 300 es
in vec2 start, end; in uint category;
uniform vec4 startBox, endBox; uniform vec2 scale, pixel; uniform float width; uniform sampler2D palette;
out vec4 colour;
void main() {
  vec2 tail = (startBox.xy + startBox.zw * start) * scale, tip = (endBox.xy + endBox.zw * end) * scale;
  vec2 way = (tip - tail) / pixel;
  vec2 side = length(way) > 0.0 ? normalize(vec2(-way.y, way.x)) * width * pixel : vec2(0.0);
  gl_Position = vec4(gl_VertexID == 0 ? tail : gl_VertexID == 1 ? tip + side : tip - side, 0.0, 1.0);
  colour = vec4(texelFetch(palette, ivec2(category & 255u, category >> 8u), 0).rgb, gl_VertexID == 0 ? 0.12 : 0.7);
}`;
const TRAIL_FRAGMENT = `#version 300 es
precision mediump float;
in vec4 colour; uniform float opacity; out vec4 pixels;
void main() { pixels = vec4(colour.rgb, colour.a * opacity); }`;

class TrailsGL {
  constructor(gl) {
    this.gl = gl;
    this.program = programOf(gl, TRAIL_VERTEX, TRAIL_FRAGMENT);
    this.array = gl.createVertexArray();
    this.buffer = gl.createBuffer();
    this.count = 0;
  }

  /** `points`: those with a way; `film`: its first and last frame are the ends; `categories`: of all points. */
  fill(points, film, categories) {
    const gl = this.gl, each = new Uint16Array(points.length * 5), first = film.frames[0].whole, last = film.frames[film.last].whole;
    points.forEach((point, index) =>
      each.set([first[2 * point], first[2 * point + 1], last[2 * point], last[2 * point + 1], categories[point]], 5 * index));
    this.count = points.length;
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, each, gl.STATIC_DRAW);
    ["start", "end", "category"].forEach((name, index) => {
      const location = gl.getAttribLocation(this.program, name);
      gl.enableVertexAttribArray(location);
      if (index < 2) gl.vertexAttribPointer(location, 2, gl.UNSIGNED_SHORT, true, 10, 4 * index);
      else gl.vertexAttribIPointer(location, 1, gl.UNSIGNED_SHORT, 10, 8);
      gl.vertexAttribDivisor(location, 1);
    });
    gl.bindVertexArray(null);
  }

  draw(view, film, opacity) {
    if (!this.count) return;
    const gl = this.gl, at = (name) => gl.getUniformLocation(this.program, name);
    gl.useProgram(this.program);
    gl.bindVertexArray(this.array);
    gl.uniform4f(at("startBox"), ...boxFrom(film.frames[0].box, view.middle));
    gl.uniform4f(at("endBox"), ...boxFrom(film.frames[film.last].box, view.middle));
    gl.uniform2f(at("scale"), (2 * view.scale) / view.width, (2 * view.scale) / view.height);
    gl.uniform2f(at("pixel"), 2 / view.width, 2 / view.height);
    gl.uniform1f(at("width"), TRAIL_PIXELS);
    gl.uniform1f(at("opacity"), opacity);
    gl.drawArraysInstanced(gl.TRIANGLES, 0, 3, this.count);
    gl.bindVertexArray(null);
  }
}

/** Left and bottom seen from the middle of the view, width and height: what the shaders scale numbers 0 … 1 with. */
function boxFrom([left, bottom, right, top], [x, y]) { return [left - x, bottom - y, right - left, top - bottom]; }

/** A program of these two shaders; throws unless the context is lost, when there is nothing to say. */
function programOf(gl, ...sources) {
  const program = gl.createProgram();
  sources.forEach((source, index) => {
    const shader = gl.createShader(index ? gl.FRAGMENT_SHADER : gl.VERTEX_SHADER);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  });
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost())
    throw new Error(gl.getProgramInfoLog(program) || "the shaders do not link");
  return program;
}
