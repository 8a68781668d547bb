// The points on the graphics card (WebGL2); what was sent is kept, so that a lost context can be built again.

const FRAMES_KEPT = 4; // on the card

const VERTEX = `#version 300 es
in vec2 start, end; in uint category; in uint state; in float fade;
uniform vec4 startBox, endBox; uniform vec2 scale; uniform float diameter, share; uniform vec4 dim; uniform sampler2D palette;
out vec4 colour; out float size;
void main() {
  size = diameter * (state == ${CHOSEN}u ? 1.25 : state == ${DIM}u ? 0.85 : 1.0);
  gl_PointSize = size + 1.0;
  gl_Position = vec4(mix(startBox.xy + startBox.zw * start, endBox.xy + endBox.zw * end, share) * scale, 0.0, 1.0);
  colour = state == ${DIM}u ? dim : texelFetch(palette, ivec2(category & 255u, category >> 8u), 0);
  colour.a *= fade;
}`;
const FRAGMENT = `#version 300 es
precision mediump float;
in vec4 colour; in float size; uniform float opacity; out vec4 pixel;
void main() {
  float away = length(gl_PointCoord - 0.5) * (size + 1.0);
  pixel = vec4(colour.rgb, colour.a * opacity * clamp(size * 0.5 - away + 0.5, 0.0, 1.0));
}`;

class PointsGL {
  constructor(canvas, redraw) {
    this.canvas = canvas;
    this.kept = { categories: new Uint8Array(0), states: new Uint8Array(0), fade: null, palette: [], trails: [] };
    this.gl = canvas.getContext("webgl2", { alpha: false, antialias: false, depth: false }); // alpha would wash blended points out
    if (!this.gl) throw new Error("no WebGL2");
    this.onLost = (event) => { event.preventDefault(); this.lost = true; };
    this.onRestored = () => { this.lost = false; this.build(); redraw(); };
    canvas.addEventListener("webglcontextlost", this.onLost);
    canvas.addEventListener("webglcontextrestored", this.onRestored);
    this.build();
  }

  build() {
    const gl = this.gl;
    this.program = programOf(gl, VERTEX, FRAGMENT);
    this.uniforms = {};
    this.array = gl.createVertexArray();
    this.buffers = Object.fromEntries(["category", "state", "fade"].map((name) => [name, gl.createBuffer()]));
    this.frames = new Map(); // id -> buffer, the last used ones last
    this.order = gl.createBuffer();
    this.texture = gl.createTexture();
    this.trails = new TrailsGL(gl);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    const { categories, states, fade, palette } = this.kept;
    if (states.length) {
      this.setCategories(categories);
      this.setFade(fade);
      this.setStates(states);
    }
    if (palette.length) this.setPalette(palette);
  }

  at(name) { return (this.uniforms[name] ??= this.gl.getUniformLocation(this.program, name)); }

  /** Numbers of each point under a name of the shader. */
  fill(name, array, type) {
    const gl = this.gl, location = gl.getAttribLocation(this.program, name);
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[name]);
    gl.bufferData(gl.ARRAY_BUFFER, array, gl.DYNAMIC_DRAW);
    gl.enableVertexAttribArray(location);
    if (name === "fade") gl.vertexAttribPointer(location, 1, type, true, 0, 0);
    else gl.vertexAttribIPointer(location, 1, type, 0, 0);
    gl.bindVertexArray(null);
  }

  setCategories(categories) {
    this.kept.categories = categories;
    this.fill("category", categories, categories.BYTES_PER_ELEMENT === 1 ? this.gl.UNSIGNED_BYTE : this.gl.UNSIGNED_SHORT);
  }

  setFade(fade) {
    this.kept.fade = fade;
    this.fill("fade", fade ?? new Uint8Array(this.kept.categories.length).fill(255), this.gl.UNSIGNED_BYTE);
  }

  setStates(states) {
    this.kept.states = states;
    this.fill("state", states, this.gl.UNSIGNED_BYTE);
    const order = layered(states);
    this.drawn = order.length;
    this.gl.bindVertexArray(this.array);
    this.gl.bindBuffer(this.gl.ELEMENT_ARRAY_BUFFER, this.order);
    this.gl.bufferData(this.gl.ELEMENT_ARRAY_BUFFER, order, this.gl.DYNAMIC_DRAW);
    this.gl.bindVertexArray(null);
    this.trailsOf = null;
  }

  setTrails(points) { this.kept.trails = points; this.trailsOf = null; }

  setPalette(palette) {
    this.kept.palette = palette;
    const gl = this.gl, rows = Math.ceil(palette.length / 256), pixels = new Uint8Array(rows * 256 * 4);
    palette.forEach((colour, index) => pixels.set([...colour, 255], index * 4));
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 256, rows, 0, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
  }

  /** The frame's numbers as an attribute; they go to the card once, as long as it is among the last used. */
  useFrame(name, frame) {
    const gl = this.gl, location = gl.getAttribLocation(this.program, name);
    let buffer = this.frames.get(frame.id);
    if (!buffer) {
      buffer = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, frame.whole, gl.STATIC_DRAW);
    }
    this.frames.delete(frame.id);
    this.frames.set(frame.id, buffer);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.enableVertexAttribArray(location);
    gl.vertexAttribPointer(location, 2, gl.UNSIGNED_SHORT, true, 0, 0);
    const [oldest] = this.frames.keys();
    if (this.frames.size > FRAMES_KEPT) { gl.deleteBuffer(this.frames.get(oldest)); this.frames.delete(oldest); }
  }

  draw(view, look, theme, film) {
    if (this.lost || this.gl.isContextLost() || !this.kept.states.length) return;
    const gl = this.gl, density = this.canvas.width / view.width, { states, categories, trails } = this.kept;
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(...theme.ground.map((value) => value / 255), 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    if (this.trailsOf !== film) this.trails.fill(film.last ? trails.filter((point) => states[point] >= BEHIND) : [], film, categories);
    this.trailsOf = film;
    this.trails.draw(view, film, 0.8);
    gl.useProgram(this.program);
    gl.bindVertexArray(this.array);
    this.useFrame("start", film.from);
    this.useFrame("end", film.to);
    gl.uniform4f(this.at("startBox"), ...boxFrom(film.from.box, view.middle));
    gl.uniform4f(this.at("endBox"), ...boxFrom(film.to.box, view.middle));
    gl.uniform1f(this.at("share"), film.share);
    gl.uniform2f(this.at("scale"), (2 * view.scale) / view.width, (2 * view.scale) / view.height);
    gl.uniform1f(this.at("diameter"), look.diameter * density);
    gl.uniform1f(this.at("opacity"), look.opacity);
    gl.uniform4f(this.at("dim"), ...theme.quiet.map((value) => value / 255), 0.3);
    gl.drawElements(gl.POINTS, this.drawn, gl.UNSIGNED_INT, 0);
    gl.bindVertexArray(null);
  }

  close() {
    this.canvas.removeEventListener("webglcontextlost", this.onLost);
    this.canvas.removeEventListener("webglcontextrestored", this.onRestored);
    this.gl.getExtension("WEBGL_lose_context")?.loseContext(); // a browser allows sixteen
  }
}
